/** HTML that is safe to put into a page. */
export interface Markup {
  readonly html: string
}

type Value = string | number | Markup | readonly Markup[]

/** A template whose texts are escaped. */
export function markup(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return { html: parts.map((part, at) => part + (at < values.length ? htmlOf(values[at]!) : '')).join('') }
}

export const nothing: Markup = { html: '' }

function htmlOf(value: Value): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return escapeHtml(value)
  return 'html' in value ? value.html : value.map(({ html }) => html).join('')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character]!)
}
