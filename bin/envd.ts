import { asEnvdError, EnvdError } from '../src/error.ts'
import type { Invocation } from './arguments/invocation.ts'
import { parseArguments } from './arguments/parse-arguments.ts'
import { type Interruption, listenForInterruption } from './interruption.ts'
import { printDocument, printNote, printText } from './output.ts'
import { type LazyProgress, progressOnDemand } from './render/progress/on-demand.ts'
import { plainStyle } from './render/style.ts'
import type { Context, Verb } from './verb.ts'
import { loadVerb, loadVersions } from './verbs.ts'

main(process.argv.slice(2)).then(status => {
  process.exitCode = status
})

/** One call of `envd`, from its arguments to its exit status. */
async function main(args: readonly string[]): Promise<number> {
  const json = asksForJson(args)
  const interruption = listenForInterruption()
  const progress = progressOnDemand()
  try {
    const invocation = parseArguments(args)
    if (invocation.help) return await help(invocation)
    const verb = await loadVerbOf(invocation)
    const result = await verb.run(invocation, contextOf(invocation, interruption, progress))
    await progress.end()
    return await reportResult(verb, result, json)
  } catch (error) {
    await progress.end()
    return await reportError(interruption.signal.aborted ? interruption.signal.reason : error, json)
  }
}

/** Known before the arguments are: an error in them is printed as JSON too. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).includes('--json')
}

async function help({ command, group, json }: Invocation): Promise<number> {
  const { helpText } = await import('./render/help.ts')
  if (json) await printDocument({ ok: true, result: { help: helpText(command ?? group, plainStyle) } })
  else await printText(style => helpText(command ?? group, style))
  return 0
}

function loadVerbOf({ command, version }: Invocation): Promise<Verb<unknown>> {
  if (version) return loadVersions()
  if (command === null) throw new EnvdError('USAGE', 'no command is given')
  return loadVerb(command)
}

function contextOf({ flags }: Invocation, interruption: Interruption, progress: LazyProgress): Context {
  return {
    async door() {
      const { loadConfiguration, openDoor } = await import('../daemon/door.ts')
      const onNote = (line: string) => void printNote(() => `envd: ${line}\n`)
      return openDoor(loadConfiguration(flags, process.env), { onNote })
    },
    signal: interruption.signal,
    note: line => printNote(style => `${style.cyan('note')}: ${line}\n`),
    onEvent: progress.show,
    endProgress: progress.end,
    takeSignals: interruption.stop,
  }
}

async function reportResult(verb: Verb<unknown>, result: unknown, json: boolean): Promise<number> {
  const failure = verb.failure?.(result) ?? null
  const { text } = verb
  if (text !== null && !json) await printText(style => text(result, style))
  if (verb.notes !== undefined && !json) await printNote(style => verb.notes?.(result, style) ?? '')
  if (failure === null) {
    if (text !== null && json) await printDocument({ ok: true, result })
    return verb.exitStatus?.(result) ?? 0
  }
  const { errorBody, errorText } = await import('./render/error.ts')
  if (json) await printDocument({ ok: false, result, error: errorBody(failure) })
  else await printNote(style => errorText(failure, style))
  return verb.exitStatus?.(result) ?? failure.exitStatus
}

async function reportError(thrown: unknown, json: boolean): Promise<number> {
  const error = asEnvdError(thrown)
  const { errorBody, errorText, stackText } = await import('./render/error.ts')
  const note = () => printNote(style => errorText(error, style))
  if (json) await printDocument({ ok: false, error: errorBody(error) }).catch(note)
  else await note()
  if (error.code === 'BUG') await printNote(() => stackText(thrown))
  return error.exitStatus
}
