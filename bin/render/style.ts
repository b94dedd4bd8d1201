/** Colours where they are wanted. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  cyan(text: string): string
}

/** Colours on a terminal; NO_COLOR (no-color.org) takes them away, FORCE_COLOR brings them to a pipe. */
export function styleFor(isTerminal: boolean, environment: NodeJS.ProcessEnv): Style {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment
  const forced = FORCE_COLOR !== undefined && FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  const coloured = !NO_COLOR && (forced || (isTerminal && TERM !== 'dumb' && FORCE_COLOR === undefined))
  if (!coloured) return plainStyle
  const paint = (open: number, close: number) => (text: string) =>
    text === '' ? text : `\x1b[${open}m${text}\x1b[${close}m`
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  }
}

const asIs = (text: string) => text

export const plainStyle: Style = { bold: asIs, dim: asIs, red: asIs, green: asIs, yellow: asIs, cyan: asIs }
