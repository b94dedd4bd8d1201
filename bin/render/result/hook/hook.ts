import type { HookInstallation, HookRemoval, HookStatus } from '../../../../src/api/hook.ts'
import { columns } from '../../columns.ts'
import type { Style } from '../../style.ts'

export function installationText({ file, program }: HookInstallation): string {
  return `${file} makes engines start ${program} for containers with the annotation dev.envd.task\n`
}

export function installationNotes(_: HookInstallation, style: Style): string {
  const lines = [
    'once after each boot, and when its lock has changed, a task needs: envd mount <task> --for oci',
    'where the hook is not installed, a container starts without its environment; a CDI device (envd mount <task> --for cdi) refuses to',
  ]
  return lines.map(line => `${style.cyan('note')}: ${line}\n`).join('')
}

export function removalText({ removed }: HookRemoval): string {
  return removed.length === 0
    ? 'the hook was not installed\n'
    : removed.map(path => `${path} is removed\n`).join('')
}

export function statusText(status: HookStatus, style: Style): string {
  const { installed, malformed, tasks, devices, containers, refusals } = status
  const rows = [
    ...(installed.length === 0
      ? [
          [
            'hook',
            'not installed: the annotation dev.envd.task does nothing, and its containers start without it',
          ],
        ]
      : installed.map(({ file, problem }) => [
          'hook',
          problem === null ? file : style.red(`${file}: ${problem}`),
        ])),
    ...malformed.map(({ file, problem }) => [
      'broken',
      style.red(`${file}: ${problem}; no container starts`),
    ]),
    ['tasks', listed(tasks, 'none prepared for the annotation')],
    [
      'devices',
      listed(
        devices.map(task => `envd.dev/task=${task}`),
        'none',
      ),
    ],
    ...containers.map(({ container, task, since }) => [
      'container',
      `${container.slice(0, 12)} of ${task}, since ${since}`,
    ]),
    ...refusals.map(({ at, reason }) => ['refused', `${at} ${reason}`]),
  ]
  return columns(rows, { paint: (cell, column) => (column === 0 ? style.cyan(cell) : cell) })
}

function listed(names: readonly string[], none: string): string {
  return names.length === 0 ? none : names.join(', ')
}
