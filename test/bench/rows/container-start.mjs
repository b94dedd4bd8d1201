import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { comparePaired } from '../support/paired.mjs'
import { openPodman } from '../support/podman.mjs'
import { duration, ratioResult } from '../support/results.mjs'

export const name = 'container-start'

const device = ['--device', 'envd.dev/task=quickstart']
const annotation = ['--annotation', 'dev.envd.task=quickstart']
const tasks = 1000

/** podman with each runtime; the container runs `true`. */
export async function measure(bench) {
  const results = []
  for (const runtime of ['crun', 'runc']) {
    const podman = await openPodman(bench, runtime)
    try {
      results.push(...(await measureRuntime(bench, podman, runtime)))
    } finally {
      await podman.close()
    }
  }
  return results
}

async function measureRuntime(bench, podman, runtime) {
  const { volume } = await bench.quickstart()
  const hooks = ['--hooks-dir', join(podman.folder, 'hooks.d')]
  await podman.envd(['mount', 'quickstart', '--for', 'cdi'], { volume })
  const pairs = bench.pairs * 5
  const without = () => podman.start()
  const byDevice = await comparePaired(pairs, () => podman.start(...device), without)
  await podman.envd(['hook', 'install', ...hooks], { volume })
  await podman.envd(['mount', 'quickstart', '--for', 'oci'], { volume })
  const byHook = await comparePaired(pairs, () => podman.start(...annotation), without)
  const byManyHooks = await amongMany(podman, 'state/tasks', 'quickstart.sh', annotation, pairs)
  const byManyDevices = await amongMany(podman, 'cdi', 'envd.dev-task-quickstart.json', device, pairs)
  const title = what => `container start, ${runtime}, ${what}`
  return [
    addedResult(title('a CDI device'), byDevice, 20),
    addedResult(title('the hook'), byHook, 25),
    ratioResult(title(`the hook, ${tasks} tasks prepared`), byManyHooks, 1.05, 'one task'),
    {
      ...ratioResult(title(`a CDI device, ${tasks} more in use`), byManyDevices, 0, 'one device'),
      bound: '',
      met: null,
    },
  ]
}

/** Against the same folder with the one file; that of a task stands for every task's. */
async function amongMany(podman, folder, file, options, pairs) {
  const path = join(podman.folder, folder)
  const text = readFileSync(join(path, file), 'utf8')
  const others = Array.from({ length: tasks }, (_, index) => `other-${index}`)
  const hiddenPlace = other => join(podman.folder, 'tmp', `${other}.hidden`)
  const place = other => join(path, file.replace('quickstart', other))
  for (const other of others) writeFileSync(hiddenPlace(other), text.replaceAll('quickstart', other))
  const start = () => podman.start(...options)
  const among = async () => {
    for (const other of others) renameSync(hiddenPlace(other), place(other))
    try {
      return await start()
    } finally {
      for (const other of others) renameSync(place(other), hiddenPlace(other))
    }
  }
  return comparePaired(pairs, among, start)
}

function addedResult(what, { ours, theirs, difference }, limit) {
  return {
    ...{ what, ratio: null, met: difference <= limit },
    ours: duration(ours),
    theirs: `${duration(theirs)} (without)`,
    bound: `≤ +${limit} ms`,
    notes: [`${difference.toFixed(1)} ms more, median of the pairs`],
  }
}
