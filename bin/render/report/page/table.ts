import { type Markup, markup } from './markup.ts'

/** Rows shown of a long table. */
const mostRows = 500

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => string
  /** Numbers stand to the right. */
  readonly isNumber?: true
}

/** The first column names the row. */
export function table<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): Markup {
  const head = columns.map(({ name, isNumber }) => markup`<th scope="col"${classOf(isNumber)}>${name}</th>`)
  const body = rows.slice(0, mostRows).map(row => {
    const cells = columns.map(({ cell, isNumber }, at) =>
      at === 0
        ? markup`<th scope="row">${cell(row)}</th>`
        : markup`<td${classOf(isNumber)}>${cell(row)}</td>`,
    )
    return markup`<tr>${cells}</tr>\n`
  })
  const more = rows.length > mostRows ? ` (the first ${mostRows} of ${rows.length})` : ''
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}${more}</caption>
<thead><tr>${head}</tr></thead>
<tbody>${body}</tbody></table></div>\n`
}

function classOf(isNumber: true | undefined): Markup {
  return { html: isNumber ? ' class="number"' : '' }
}
