import type { Marker } from './marker.ts'

/** The marker as text that parses to the same marker. */
export function printMarker(marker: Marker): string {
  if (marker.kind === 'compare') {
    const { variable, operator, value, literalFirst } = marker
    const literal = value.includes("'") ? `"${value}"` : `'${value}'`
    return literalFirst ? `${literal} ${operator} ${variable}` : `${variable} ${operator} ${literal}`
  }
  return marker.operands
    .map(operand => (operand.kind === 'or' ? `(${printMarker(operand)})` : printMarker(operand)))
    .join(` ${marker.kind} `)
}
