import { fstatSync, writeSync } from 'node:fs'
import { EnvdError } from '../src/error.ts'
import { type Style, styleFor } from './render/style.ts'

/** What `--json` prints of a command; a result may come with an error when only a part of it failed. */
export interface Document {
  readonly ok: boolean
  readonly result?: unknown
  readonly error?: unknown
}

export function printDocument(document: Document): Promise<void> {
  return write('stdout', `${JSON.stringify({ schemaVersion: 1, ...document })}\n`)
}

export async function printText(text: (style: Style) => string): Promise<void> {
  await write('stdout', text(styleFor(await isTerminal(1), process.env)))
}

export async function printNote(text: (style: Style) => string): Promise<void> {
  await write('stderr', text(styleFor(await isTerminal(2), process.env)))
}

/** Loads the terminal's code only where there may be one. */
async function isTerminal(descriptor: number): Promise<boolean> {
  if (!fstatSync(descriptor).isCharacterDevice()) return false
  const { isatty } = await import('node:tty')
  return isatty(descriptor)
}

/**
 * Writes without Node's streams, whose code takes milliseconds to load, as long as the reader keeps up.
 * A reader that has seen enough (`envd ls | head -1`) is no failure of ours.
 */
async function write(name: 'stdout' | 'stderr', text: string): Promise<void> {
  const descriptor = name === 'stdout' ? 1 : 2
  let left: Uint8Array = Buffer.from(text)
  try {
    while (left.length > 0) left = left.subarray(writeSync(descriptor, left))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EPIPE') return
    if (code !== 'EAGAIN') throw new EnvdError('IO', `cannot write to ${name}: ${(error as Error).message}`)
    await writeToStream(process[name], left)
  }
}

function writeToStream(stream: NodeJS.WriteStream, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.on('error', (error: NodeJS.ErrnoException) => (error.code === 'EPIPE' ? resolve() : reject(error)))
    stream.write(bytes, () => resolve())
  })
}
