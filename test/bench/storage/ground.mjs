import {
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { openProcesses } from '../support/processes.mjs'
import { root } from '../support/root.mjs'
import { readEnvironment } from './read-environment.mjs'

/** How many bytes on the disk one byte of a distribution becomes, bytecode included: 2.5 to 3 where it was measured. */
const unpacked = 3
/** Folders of an environment, pages of the index and such. */
const besides = 2e8

/**
 * The folder where it happens: a volume, tasks for envd, and a record of each environment that was prepared, which
 * outlives its volume. Volumes are numbered; one lies there at a time.
 */
export function openGround(folder) {
  const [volume, lockfiles, recordsFolder] = ['volume', 'lockfiles', 'records'].map(name =>
    join(folder, name),
  )
  for (const path of [lockfiles, recordsFolder]) mkdirSync(path, { recursive: true })
  const processes = openProcesses(openSync(join(folder, 'log'), 'a'))
  const numberFile = join(folder, 'number')
  const number = () => (existsSync(numberFile) ? Number(readFileSync(numberFile, 'utf8')) : 1)
  const say = message => process.stderr.write(`storage: ${message}\n`)

  const records = () =>
    readdirSync(recordsFolder).map(name => JSON.parse(readFileSync(join(recordsFolder, name), 'utf8')))
  const here = () => records().filter(({ volume }) => volume === number())

  async function envd(args) {
    const env = { ...process.env, ENVD_VOLUME: volume, ENVD_LOCKFILES: lockfiles }
    const command = [join(root, 'dist/envd.js'), ...args, '--json']
    const { stdout } = await processes.run(process.execPath, command, { env, read: true })
    return JSON.parse(stdout).result
  }

  const ground = {
    folder,
    say,
    get interrupted() {
      return processes.interrupted
    },
    /** Of the whole volume, each inode once, in bytes. */
    async diskUse() {
      if (!existsSync(volume)) return 0
      const { stdout } = await processes.run('du', ['--summarize', '--block-size=1', volume], { read: true })
      return Number(stdout.split('\t')[0])
    },
    /** One for each environment that was prepared: `{ id, repository, volume, disk }` and read-environment.mjs. */
    records,
    /** The volume has tasks that are none of these. */
    hasOthers: tasks => here().some(record => !tasks.some(({ id }) => id === record.id)),
    write({ id, lock, python }) {
      mkdirSync(join(lockfiles, id), { recursive: true })
      copyFileSync(lock, join(lockfiles, id, 'requirements.lock'))
      writeFileSync(join(lockfiles, id, 'task.toml'), `lock = "requirements.lock"\npython = "${python}"\n`)
    },
    /**
     * By the sizes that the index tells; what the volume has is not counted. What an interrupted run left there is
     * the task's own.
     */
    async hasRoom({ id }, budget) {
      const { closure } = await envd(['prepare', id, '--dry-run'])
      const known = new Set(here().flatMap(({ distributions }) => distributions))
      const bytes = closure
        .filter(({ digest }) => !known.has(digest))
        .reduce((sum, { size }) => sum + (size ?? 0), 0)
      const used = Math.max(0, ...here().map(({ disk }) => disk))
      return used + bytes * unpacked + besides <= budget
    },
    async prepare({ id, repository }) {
      say(`preparing ${id}`)
      const { key } = await envd(['prepare', id])
      const disk = await ground.diskUse()
      const record = { id, repository, volume: number(), disk, ...readEnvironment(volume, key) }
      writeFileSync(join(folder, 'record'), JSON.stringify(record))
      renameSync(join(folder, 'record'), join(recordsFolder, `${id}.json`))
      say(`${id}: the volume takes ${(record.disk / 1e9).toFixed(2)} GB`)
    },
    async newVolume() {
      say('the volume is removed, a new one takes the rest')
      writeFileSync(numberFile, String(number() + 1))
      if (existsSync(volume)) await envd(['volume', 'remove', '--yes'])
    },
    async remove() {
      if (existsSync(volume)) await envd(['volume', 'remove', '--yes'])
      rmSync(folder, { recursive: true })
    },
    close: () => processes.close(),
  }
  return ground
}
