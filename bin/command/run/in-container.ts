import { isatty } from 'node:tty'
import type { ContainerRequest, ReadyContainer } from '../../../src/api/container.ts'
import { EnvdError } from '../../../src/error.ts'
import type { Invocation } from '../../arguments/invocation.ts'
import { defaultImageNote } from '../../render/result/container/mount.ts'
import type { Context } from '../../verb.ts'
import { runChild } from './run-child.ts'
import { watchForStop } from './watch-for-stop.ts'

/** Runs the command in a container of the task. What envd says of it beside the command's own output goes to stderr. */
export async function runInContainer(invocation: Invocation, context: Context): Promise<number> {
  const door = await context.door()
  const { signal, onEvent, takeSignals } = context
  const request = requestOf(invocation)
  const container = await door.container(request, { signal, onEvent })
  try {
    await context.endProgress()
    if (container.imageIsDefault) await context.note(defaultImageNote(request.task, container.image))
    signal.throwIfAborted()
    return await runToItsEnd(container, takeSignals)
  } finally {
    await container.end()
  }
}

async function runToItsEnd(container: ReadyContainer, takeSignals: () => void): Promise<number> {
  const stop = watchForStop(container.kill)
  try {
    const options = { env: process.env, onStart: container.startedAs, takeSignals }
    const status = await runChild(container.program, container.arguments, options)
    const failure = status === 0 ? null : container.failure(status)
    if (failure === null) return status
    throw stop.heard() ? new EnvdError('INTERRUPTED', 'stopped before the container had started') : failure
  } finally {
    await stop.end()
  }
}

function requestOf({ arguments: [task = ''], rest, options }: Invocation): ContainerRequest {
  return {
    task,
    gpus: options.get('gpus')?.[0] ?? null,
    writableEnvironment: options.has('writable-env'),
    project: options.get('project')?.[0] ?? null,
    engineArguments: options.get('engine-arg') ?? [],
    terminal: isatty(0) && isatty(1),
    command: rest,
  }
}
