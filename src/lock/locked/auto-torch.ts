import { refuse } from './refuse.ts'

/**
 * Tools write the command that made a lock into its first comment; `--torch-backend auto` there means that
 * the driver of one host chose the packages.
 */
export function refuseAutoTorch(text: string, file: string): void {
  for (const [index, line] of text.split('\n').entries()) {
    if (!/^\s*(#|$)/.test(line)) return
    const column = line.search(/--torch-backend[= ]\s*auto\b/)
    if (column !== -1) {
      refuse(
        'LOCK_TORCH_BACKEND_AUTO',
        { file, line: index + 1, column: column + 1 },
        'made with --torch-backend auto',
      )
    }
  }
}
