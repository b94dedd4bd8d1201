import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasErrno } from '../../cache/disk/machine-error.ts'
import { factsFolder } from '../../cache/volume/layout.ts'
import type { Volume } from '../../cache/volume/open-volume.ts'
import { remember } from '../../cache/volume/remember.ts'
import { EnvdError } from '../../src/error.ts'
import type { Target } from '../../src/target/target.ts'
import { fingerprintOf, realPath } from './fingerprint.ts'
import { lastWords, questions } from './questions.ts'

/** `facts/interpreters/<sha256 of the path>.json`. */
interface Fact {
  readonly path: string
  /** Of the interpreter's file, and of the libc it runs with, which an upgrade of the system replaces alone. */
  readonly fingerprint: string
  readonly libcPath: string
  readonly libcFingerprint: string
  readonly target: Target
}

/** By path; also for those who may not write to the volume. */
const askedHere = new Map<string, Fact>()

/**
 * What an interpreter is, as a target. Asked by running it, and remembered (by this process, and by the
 * volume's owner on the volume) until its file changes. What runs another one (a shim of pyenv, a wrapper) is
 * asked each time, since its file doesn't tell which. Errors: PYTHON_NOT_FOUND, PYTHON_BROKEN, PYTHON_UNSUPPORTED.
 */
export function askInterpreter(volume: Volume, path: string): Target {
  const fingerprint = fingerprintOf(path)
  if (fingerprint === undefined) {
    throw new EnvdError('PYTHON_NOT_FOUND', `there is no interpreter at ${path}`, { details: { path } })
  }
  const file = factFile(volume, path)
  const here = askedHere.get(path)
  if (here && stillTrue(here, path, fingerprint)) return here.target
  const known = readFact(file)
  if (known && stillTrue(known, path, fingerprint)) return keepHere(known).target
  const { target, libcPath, program } = ask(path)
  const libcFingerprint = fingerprintOf(libcPath)
  // A wrapper that runs another one under its own name (`exec -a "$0"`) answers as itself, from another program.
  const isWrapper = !answersItself(path, target) || program !== realPath(path)
  if (libcFingerprint === undefined || isWrapper) return target
  const fact: Fact = { path, fingerprint, libcPath, libcFingerprint, target }
  remember(volume, file, JSON.stringify(fact))
  return keepHere(fact).target
}

function keepHere(fact: Fact): Fact {
  askedHere.set(fact.path, fact)
  return fact
}

function stillTrue(fact: Fact, path: string, fingerprint: string): boolean {
  return (
    fact.path === path &&
    fact.fingerprint === fingerprint &&
    fact.libcFingerprint === fingerprintOf(fact.libcPath) &&
    answersItself(path, fact.target)
  )
}

/** False where the file at `path` had another one answer, of which its fingerprint says nothing. */
function answersItself(path: string, target: Target): boolean {
  return realPath(path) === target.interpreter
}

function factFile(volume: Volume, path: string): string {
  return join(factsFolder(volume, 'interpreters'), `${createHash('sha256').update(path).digest('hex')}.json`)
}

function readFact(file: string): Fact | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Fact
  } catch {
    return undefined
  }
}

interface Answer {
  readonly target: Target
  readonly libcPath: string
  /** The file that the kernel ran. */
  readonly program: string
}

const limitSeconds = 10

function ask(path: string): Answer {
  const { status, signal, stdout, stderr, error } = spawnSync(path, ['-I', '-S', '-B', '-c', questions], {
    cwd: '/',
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitSeconds * 1000,
    killSignal: 'SIGKILL',
  })
  if (error !== undefined || status !== 0) {
    const ended = hasErrno(error, 'ETIMEDOUT') ? `no answer within ${limitSeconds} seconds` : error?.message
    const reason = lastWords(stderr ?? '') || ended || `it was ended by ${signal ?? `status ${status}`}`
    throw new EnvdError('PYTHON_BROKEN', `${path} does not run: ${reason}`, {
      details: { path, said: reason },
    })
  }
  return readAnswers(path, stdout)
}

interface Answers extends Record<Exclude<keyof Target, 'libc'>, string> {
  readonly libc: string | null
  readonly libcPath: string | null
  readonly program: string
  readonly pointerBytes: number
}

const machines: ReadonlySet<string> = new Set(['x86_64', 'aarch64'])

function readAnswers(path: string, stdout: string): Answer {
  let answers: Answers
  try {
    answers = JSON.parse(stdout) as Answers
  } catch (cause) {
    const message = `${path} does not answer like a Python: ${lastWords(stdout)}`
    throw new EnvdError('PYTHON_BROKEN', message, { details: { path }, cause })
  }
  const { libc, libcPath, program, pointerBytes, ...rest } = answers
  const glibc = /^glibc (\d+\.\d+)/.exec(libc ?? '')?.[1]
  const refuse = (what: string) =>
    new EnvdError('PYTHON_UNSUPPORTED', `${path} is ${what}`, { details: { path, ...answers } })
  if (rest.implementation !== 'cpython') throw refuse(`${rest.implementation}, not CPython`)
  if (rest.platform !== 'linux') throw refuse(`for ${rest.platform}, not Linux`)
  if (glibc === undefined || libcPath === null) throw refuse('not linked with glibc')
  if (pointerBytes !== 8 || !machines.has(rest.machine)) {
    throw refuse(`for ${rest.machine} with ${pointerBytes * 8} bits; envd knows x86_64 and aarch64 with 64`)
  }
  return { target: { ...rest, libc: { name: 'glibc', version: glibc } }, libcPath, program }
}
