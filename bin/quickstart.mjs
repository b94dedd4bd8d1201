/**
 * Shows envd at work: prepares the `quickstart` task, imports its packages in the new environment, and
 * prepares it again.
 */
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const envd = join(root, 'dist', 'envd.js')
const task = 'quickstart'

const imports = `
import attr, click, dateutil, jinja2, markupsafe, numpy, packaging, six, sys, tqdm, yaml
print(f"Python {sys.version.split()[0]}, numpy {numpy.__version__}:", jinja2.Template("1 + 2 + 3 = {{ sum }}").render(sum=numpy.arange(4).sum()))
`.trim()

say(`Preparing the task ${task}: its lock names the exact files, uv builds the environment.`)
const first = prepare()
const { result } = first
say(
  result.reused ? 'It was ready already:' : 'Built:',
  `  key    ${result.key}`,
  `  path   ${result.path}`,
  `  holds  ${result.packages} packages, ${result.files} files, ${megabytes(result.bytes.apparent)}`,
)

say('Importing its packages in the environment:')
call(['run', task, '--', 'python', '-c', imports], 'inherit')

say('Preparing it again:')
const second = prepare()
if (!second.result.reused || second.result.key !== result.key)
  fail('the second time did not find the environment')
say(
  'The same key, so the same environment: nothing was downloaded and nothing built.',
  `  first time   ${seconds(first)} s, ${megabytes(result.bytes.added)} added to the volume`,
  `  second time  ${seconds(second)} s, ${megabytes(second.result.bytes.added)} added`,
  ...(result.reused ? [] : [`  saved        ${(seconds(first) - seconds(second)).toFixed(2)} s`]),
)

say(
  'Next:',
  '  node dist/envd.js ls                 the tasks and their states',
  '  node dist/envd.js show quickstart    everything the environment depends on',
  '  npm install -g .                     puts envd on PATH',
  '  envd volume remove                   says how to get rid of it all',
)

function prepare() {
  const started = performance.now()
  const { schemaVersion, ok, ...rest } = JSON.parse(call(['prepare', task, '--json'], 'pipe'))
  if (schemaVersion !== 1 || !ok) fail(JSON.stringify(rest))
  return { result: rest.result, milliseconds: performance.now() - started }
}

/** Runs envd; its progress and errors are seen, its data comes back where it is wanted. */
function call(args, stdout) {
  const run = spawnSync(process.execPath, [envd, ...args], {
    cwd: root,
    env: { ...process.env, ENVD_LOCKFILES: join(root, 'lockfiles') },
    stdio: ['ignore', stdout, 'inherit'],
    encoding: 'utf8',
  })
  if (run.error) fail(run.error.message)
  if (run.status !== 0)
    fail(`envd ${args.slice(0, 2).join(' ')} ended with status ${run.status ?? run.signal}`, run.stdout)
  return run.stdout
}

function seconds({ milliseconds }) {
  return (milliseconds / 1000).toFixed(2)
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

function say(...lines) {
  process.stdout.write(`\n${lines.join('\n')}\n`)
}

function fail(...lines) {
  process.stderr.write(`\nquickstart: ${lines.filter(line => line).join('\n')}\n`)
  process.exit(1)
}
