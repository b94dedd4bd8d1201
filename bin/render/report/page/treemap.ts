export interface Tile {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * Tiles for amounts (the largest first, none 0) that fill a rectangle, each with an area in proportion and as square as
 * can be: Bruls, Huizing, van Wijk, "Squarified Treemaps" (2000).
 */
export function treemap(amounts: readonly number[], width: number, height: number): Tile[] {
  const total = amounts.reduce((sum, amount) => sum + amount, 0)
  const areas = amounts.map(amount => (amount / total) * width * height)
  const tiles: Tile[] = []
  let rest = { x: 0, y: 0, width, height }
  for (let at = 0; at < areas.length; ) {
    const side = Math.min(rest.width, rest.height)
    let end = at + 1
    while (end < areas.length && worst(areas.slice(at, end + 1), side) <= worst(areas.slice(at, end), side))
      end += 1
    rest = placeRow(areas.slice(at, end), rest, tiles)
    at = end
  }
  return tiles
}

/** Proportion of the least square tile, where these are a row along `side`. */
function worst(row: readonly number[], side: number): number {
  const sum = row.reduce((total, area) => total + area, 0)
  return Math.max(...row.map(area => Math.max((side ** 2 * area) / sum ** 2, sum ** 2 / (side ** 2 * area))))
}

/** Returns what is left of the rectangle. */
function placeRow(row: readonly number[], { x, y, width, height }: Tile, tiles: Tile[]): Tile {
  const sum = row.reduce((total, area) => total + area, 0)
  const isUpright = height <= width
  const depth = sum / (isUpright ? height : width)
  let at = isUpright ? y : x
  for (const area of row) {
    const length = area / depth
    tiles.push(
      isUpright ? { x, y: at, width: depth, height: length } : { x: at, y, width: length, height: depth },
    )
    at += length
  }
  return isUpright
    ? { x: x + depth, y, width: width - depth, height }
    : { x, y: y + depth, width, height: height - depth }
}
