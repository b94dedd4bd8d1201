import { assignment, csvRecord, fieldsOf, type Understood, valuesOf } from './understood.ts'

/** podman-run(1), `--mount`; held against podman itself in test/daemon/operation/mount/. */
export function readPodman(words: readonly string[]): Understood {
  const records = valuesOf(words, '--mount').map(csvRecord)
  const binds = records.filter(([type]) => type === 'type=bind')
  const tmpfs = records.filter(([type]) => type === 'type=tmpfs')
  return {
    mounts: binds.map(record => {
      const fields = fieldsOf(record, [
        ...[
          'type',
          'source',
          'destination',
          'ro',
          'bind-nonrecursive',
          'bind-propagation',
          'nosuid',
          'nodev',
        ],
      ])
      for (const option of ['ro', 'bind-nonrecursive']) {
        if (fields.get(option) !== 'true') throw new Error(`not ${option}`)
      }
      return { source: fields.get('source')!, destination: fields.get('destination')! }
    }),
    scratch: tmpfs.map(record => {
      const fields = fieldsOf(record, [
        ...['type', 'destination', 'tmpfs-mode', 'tmpfs-size', 'notmpcopyup', 'exec', 'nosuid', 'nodev'],
      ])
      if (fields.get('tmpfs-mode') !== '1777' || !fields.has('exec')) throw new Error('scratch of no use')
      return { destination: fields.get('destination')!, bytes: bytes(fields.get('tmpfs-size')) }
    }),
    variables: Object.fromEntries(valuesOf(words, '--env').map(assignment)),
  }
}

/** docker run: `--mount` (opts/mount.go), `--tmpfs PATH[:OPTIONS]` (opts/mount.go takes none of `exec`). */
export function readDocker(words: readonly string[]): Understood {
  return {
    mounts: valuesOf(words, '--mount').map(text => {
      const fields = fieldsOf(csvRecord(text), [
        ...['type', 'source', 'target', 'readonly', 'bind-recursive', 'bind-propagation'],
      ])
      const readOnly = fields.has('readonly') && fields.get('bind-propagation') === 'rprivate'
      if (!readOnly || fields.get('bind-recursive') !== 'readonly')
        throw new Error('not recursively read-only')
      return { source: fields.get('source')!, destination: fields.get('target')! }
    }),
    scratch: valuesOf(words, '--tmpfs').map(text => {
      const [destination, options, ...rest] = text.split(':')
      const fields = fieldsOf(options!.split(','), ['rw', 'exec', 'nosuid', 'nodev', 'mode', 'size'])
      if (rest.length > 0 || fields.get('mode') !== '1777' || !fields.has('exec'))
        throw new Error('scratch of no use')
      return { destination: destination!, bytes: bytes(fields.get('size')) }
    }),
    variables: Object.fromEntries(valuesOf(words, '--env').map(assignment)),
  }
}

/** pyxis, args.c: parse_mount_option and add_mount, then fstab(5); srun(1), `--export`. */
export function readPyxis(words: readonly string[]): Understood {
  const option = (name: string) => words.find(word => word.startsWith(`--${name}=`))!.slice(name.length + 3)
  const lines = option('container-mounts')
    .split(',')
    .map(entry => {
      const [source, destination, ...flags] = entry.split(':')
      const line = `${source} ${destination} x-create=auto,${flags.join(':').replaceAll('+', ',')}`
      const [from, to, options, ...rest] = line.split(/[ \t\n\r]/)
      if (rest.length > 0 || !/^[./]|^tmpfs$/.test(from!) || !/^[./]/.test(to!))
        throw new Error(`no mount: ${entry}`)
      return { source: from!, destination: to!, options: options!.split(',') }
    })
  const [tmpfs, binds] = [
    lines.filter(({ source }) => source === 'tmpfs'),
    lines.filter(({ source }) => source !== 'tmpfs'),
  ]
  if (!binds.every(({ options }) => ['ro', 'nosuid', 'nodev'].every(flag => options.includes(flag))))
    throw new Error('not read-only')
  const [all, ...exported] = option('export').split(',')
  if (all !== 'ALL') throw new Error('the job loses its environment')
  const { PYTHONHOME, PYTHONPATH, ...variables } = Object.fromEntries(exported.map(assignment))
  if (PYTHONHOME !== '' || PYTHONPATH !== '') throw new Error("the host's interpreter gets in")
  if (option('container-env') !== Object.keys(variables).join(','))
    throw new Error('the image would override')
  return {
    mounts: binds.map(({ source, destination }) => ({ source, destination })),
    scratch: tmpfs.map(({ destination, options }) => ({
      destination,
      bytes: bytes(options.find(flag => flag.startsWith('size='))?.slice(5)),
    })),
    variables,
  }
}

/** Apptainer: `--mount` (pkg/util/bind), `--scratch` (a comma separates), `--env` (pflag's StringToString). */
export function readApptainer(words: readonly string[]): Understood {
  return {
    mounts: valuesOf(words, '--mount').map(text => {
      const fields = fieldsOf(csvRecord(text), ['type', 'source', 'destination', 'ro'])
      if (!fields.has('ro') || text.includes('\n')) throw new Error('not read-only, or two mounts')
      return { source: fields.get('source')!, destination: fields.get('destination')! }
    }),
    scratch: valuesOf(words, '--scratch')
      .flatMap(text => text.split(','))
      .map(destination => ({ destination, bytes: null })),
    variables: Object.fromEntries(
      valuesOf(words, '--env').map(text => {
        if (text.split('=').length !== 2 || /[$`\\]/.test(text))
          throw new Error(`read as something else: ${text}`)
        return assignment(text.replace(/^"+|"+$/g, ''))
      }),
    ),
  }
}

function bytes(text: string | undefined): number | null {
  return text === undefined ? null : Number(text)
}
