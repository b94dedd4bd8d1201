import type { PrepareEvent } from '../../../src/api/prepare.ts'
import { formatSeconds } from '../amounts.ts'
import type { Style } from '../style.ts'
import { amountDone } from './amount-done.ts'
import type { Progress } from './progress.ts'

interface Terminal {
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

const width = 20
/** Milliseconds between two pictures. */
const pause = 100

/** One line a task, drawn over and over in place, gone when the task is done (phase `total`). */
export function progressBars(terminal: Terminal, style: Style): Progress {
  const tasks = new Map<string, { event: PrepareEvent; since: number }>()
  let drawn = 0
  const timer = setInterval(draw, pause)
  timer.unref()

  function draw(): void {
    const most = Math.max(1, (terminal.rows || 24) - 1)
    const lines = [...tasks.values()].slice(-most).map(({ event, since }) => line(event, since))
    terminal.write(`${erase(drawn)}${lines.map(text => `${text}\n`).join('')}`)
    drawn = lines.length
  }

  function line(event: PrepareEvent, since: number): string {
    const { task, message, done, total } = event
    const parts = [message, amountDone(event), formatSeconds((Date.now() - since) / 1000)]
    const said = parts
      .filter(part => part !== '')
      .join(' · ')
      .replace(/\p{Cc}/gu, ' ')
    const room = (terminal.columns || 80) - 1
    const picture = bar(total === undefined || total === 0 ? null : (done ?? 0) / total, Date.now() - since)
    const bare = `${task} ${picture} ${said}`
    if (bare.length > room) return bare.slice(0, room)
    return `${style.bold(task)} ${style.cyan(picture)} ${style.dim(said)}`
  }

  return {
    show(event) {
      if (event.phase === 'total') tasks.delete(event.task)
      else tasks.set(event.task, { event, since: tasks.get(event.task)?.since ?? Date.now() })
    },
    end() {
      clearInterval(timer)
      terminal.write(erase(drawn))
      drawn = 0
    },
  }
}

/** A share from 0 to 1; null: something moves, nobody knows how far. */
function bar(share: number | null, milliseconds: number): string {
  if (share === null) {
    const at = Math.floor(milliseconds / pause) % (width - 2)
    return `[${' '.repeat(at)}===${' '.repeat(width - 3 - at)}]`
  }
  const full = Math.round(Math.min(1, Math.max(0, share)) * width)
  return `[${'='.repeat(full)}${' '.repeat(width - full)}]`
}

function erase(lines: number): string {
  return lines === 0 ? '' : `\x1b[${lines}A\r\x1b[J`
}
