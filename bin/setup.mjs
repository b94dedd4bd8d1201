/** Brings a clone to the state in which its scripts run: packages installed, dist/ built. Needs only Node. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const outputs = [
  'envd',
  'door',
  'hot',
  'hot-program',
  'cold',
  'cold-program',
  'hash-worker',
  'assemble-worker',
  'verify-worker',
  'download-worker',
].map(name => `dist/${name}.js`)

requireNode([20, 20])
if (!packagesMatchLock())
  run('installing the npm packages (npm ci); compiling SQLite takes about a minute', 'npm', [
    'ci',
    '--no-audit',
    '--no-fund',
  ])
if (isStale()) run('building dist/', process.execPath, ['bin/build.mjs'])

function requireNode([major, minor]) {
  const [actualMajor, actualMinor] = process.versions.node.split('.').map(Number)
  if (actualMajor > major || (actualMajor === major && actualMinor >= minor)) return
  fail(`envd needs Node ${major}.${minor} or newer; this is ${process.versions.node} (${process.execPath})`)
}

/** npm notes what it installed in a lock of its own; packages for other platforms are missing there. */
function packagesMatchLock() {
  const wanted = packagesOf('package-lock.json')
  const installed = packagesOf('node_modules/.package-lock.json')
  if (installed === null) return false
  return Object.entries(wanted).every(([path, { integrity, optional }]) => {
    if (path === '') return true
    return path in installed ? installed[path].integrity === integrity : optional === true
  })
}

function packagesOf(lock) {
  try {
    return JSON.parse(readFileSync(join(root, lock), 'utf8')).packages
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw error
  }
}

function isStale() {
  const built = outputs.map(path => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0)
  const sources = ['src', 'cache', 'daemon', 'bin', 'package.json', 'package-lock.json']
  return Math.max(...sources.map(path => newest(join(root, path)))) > Math.min(...built)
}

function newest(path) {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map(name => newest(join(path, name))))
}

function run(what, command, args) {
  console.error(`envd setup: ${what}…`)
  const started = Date.now()
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    env: ownEnvironment(),
    stdio: ['ignore', 2, 2],
  })
  if (error) fail(`${what}: ${error.message}`)
  if (status !== 0) fail(`${what} failed with status ${status}`)
  console.error(`envd setup: done in ${((Date.now() - started) / 1000).toFixed(1)} s`)
}

/** `npm install -g .` runs this script, and would pass on that it is global; what is installed here is not. */
function ownEnvironment() {
  const inherited = /^npm_config_(global|location|prefix|local_prefix)$/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !inherited.test(name)))
}

function fail(message) {
  console.error(`envd setup: ${message}`)
  process.exit(1)
}
