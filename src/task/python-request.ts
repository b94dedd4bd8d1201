const version = String.raw`\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?`
const clause = String.raw`\s*(?:(?:==|!=)\s*${version}(?:\.\*)?|~=\s*\d+(?:\.\d+)+(?:(?:a|b|rc)\d+)?|(?:<=|>=|<|>)\s*${version})\s*`
const minorOrExact = /^\d+\.\d+(?:\.\d+(?:(?:a|b|rc)\d+)?)?$/
const range = new RegExp(`^${clause}(?:,${clause})*$`)

/** `3.12` (any patch), `3.12.1`, or version specifiers of PEP 440 without arbitrary equality. */
export function isPythonRequest(text: string): boolean {
  return minorOrExact.test(text) || range.test(text)
}
