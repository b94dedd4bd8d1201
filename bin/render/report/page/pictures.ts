import { type Markup, markup, nothing } from './markup.ts'
import { treemap } from './treemap.ts'

/** A part of a bar; `tone` is one of the colours of the page (style.ts), counted from 0. */
export interface Piece {
  readonly name: string
  readonly amount: number
  readonly tone: number
}

export interface Bar {
  readonly name: string
  /** What stands behind it. */
  readonly value: string
  readonly pieces: readonly Piece[]
}

const width = 960
const nameWidth = 270
const valueWidth = 130
const rowHeight = 30

/** Bars below each other, each of pieces one behind the other, on one scale. */
export function bars(title: string, rows: readonly Bar[], format: (amount: number) => string): Markup {
  const most = Math.max(0, ...rows.map(({ pieces }) => sum(pieces)))
  const scale = most === 0 ? 0 : (width - nameWidth - valueWidth) / most
  const drawn = rows.map(({ name, value, pieces }, row) => {
    const y = row * rowHeight
    let x = nameWidth
    const rectangles = pieces.map(piece => {
      const at = x
      x += piece.amount * scale
      return rectangle(
        { x: at, y: y + 5, width: piece.amount * scale, height: rowHeight - 10 },
        piece,
        format,
      )
    })
    return markup`<text x="${nameWidth - 8}" y="${y + 20}" text-anchor="end">${shortened(name, 38)}</text>${rectangles}<text x="${Math.round(x) + 8}" y="${y + 20}" class="value">${value}</text>\n`
  })
  return picture(title, rows.length * rowHeight, drawn)
}

/** One tile for each piece, its area in proportion. */
export function tiles(title: string, pieces: readonly Piece[], format: (amount: number) => string): Markup {
  const height = 420
  const present = pieces.filter(({ amount }) => amount > 0).toSorted((a, b) => b.amount - a.amount)
  if (present.length === 0) return nothing
  const places = treemap(
    present.map(({ amount }) => amount),
    width,
    height,
  )
  const drawn = present.map((piece, at) => {
    const place = places[at]!
    const room = Math.floor((place.width - 10) / 7.5)
    const label =
      place.height < 22 || room < 4
        ? nothing
        : markup`<text x="${rounded(place.x + 6)}" y="${rounded(place.y + 17)}" class="on">${shortened(piece.name, room)}</text>`
    return markup`${rectangle(place, piece, format)}${label}\n`
  })
  return picture(title, height, drawn)
}

/** What the tones of a picture mean. */
export function legend(pieces: readonly Omit<Piece, 'amount'>[]): Markup {
  const items = pieces.map(
    ({ name, tone }) => markup`<li><span class="swatch tone${tone}"></span>${name}</li>`,
  )
  return markup`<ul class="legend">${items}</ul>\n`
}

interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

function rectangle(
  { x, y, width, height }: Place,
  { name, amount, tone }: Piece,
  format: (amount: number) => string,
) {
  return markup`<rect x="${rounded(x)}" y="${rounded(y)}" width="${rounded(width)}" height="${rounded(height)}" class="tone${tone}"><title>${name}: ${format(amount)}</title></rect>`
}

/** Its numbers stand in the table beside it. */
function picture(title: string, height: number, content: readonly Markup[]): Markup {
  return markup`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<title>${title}</title>
${content}</svg>\n`
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}

function sum(pieces: readonly Piece[]): number {
  return pieces.reduce((total, { amount }) => total + amount, 0)
}

function rounded(length: number): number {
  return Math.round(length * 100) / 100
}
