import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A podman of its own with an image of busybox, in a mount namespace where what envd writes on the host is a folder of
 * the benchmark, and where crun takes the cgroups of a hybrid machine. Needs root.
 */
export async function openPodman(bench, runtime) {
  const folder = bench.emptyFolder(`podman-${runtime}`)
  const places = { '/var/run/cdi': 'cdi', '/run/envd': 'state', '/usr/local/libexec/envd': 'libexec' }
  for (const name of [...Object.values(places), 'hooks.d', 'tmp', 'rootfs/bin']) {
    mkdirSync(join(folder, name), { recursive: true })
  }
  for (const place of Object.keys(places)) mkdirSync(place, { recursive: true })
  const program = [
    'if mountpoint -q /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi',
    ...Object.entries(places).map(([place, name]) => `mount --bind '${join(folder, name)}' ${place}`),
    'echo ready; exec cat',
  ].join('\n')
  const holder = spawn('unshare', ['-m', '--propagation', 'slave', 'sh', '-ec', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  writeFileSync(join(folder, 'containers.conf'), containersConf(folder, runtime))
  writeFileSync(join(folder, 'storage.conf'), storageConf(folder))
  const env = {
    ...process.env,
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
  }
  const under = ['nsenter', `--mount=/proc/${holder.pid}/ns/mnt`, '--wd=/']
  const podman = (...args) => bench.run(under[0], [...under.slice(1), 'podman', ...args], { env })
  cpSync('/bin/busybox', join(folder, 'rootfs/bin/true'), { dereference: true })
  await bench.run('tar', ['-C', join(folder, 'rootfs'), '-cf', join(folder, 'image.tar'), '.'])
  await podman('import', '--quiet', join(folder, 'image.tar'), 'localhost/small')
  return {
    folder,
    /** From the start of podman until the container is gone. */
    start: (...options) => podman('run', '--rm', ...options, 'localhost/small', '/bin/true'),
    envd: (args, options) => bench.envd(args, { ...options, under }),
    async close() {
      holder.kill('SIGKILL')
      await once(holder, 'close')
    },
  }
}

/** podman lowers its own limit of processes; without the capability to raise limits, its defaults fail. */
function containersConf(folder, runtime) {
  const limits = readFileSync('/proc/self/limits', 'utf8')
  const files = Math.min(Number(/^Max open files +\S+ +(\d+)/m.exec(limits)?.[1] ?? 1 << 20), 1 << 20)
  return `
[containers]
netns = "none"
default_ulimits = ["nofile=${files}:${files}", "nproc=32768:32768"]
[engine]
runtime = "${runtime}"
cgroup_manager = "cgroupfs"
events_logger = "none"
tmp_dir = "${join(folder, 'tmp')}"
lock_type = "file"
hooks_dir = ["${join(folder, 'hooks.d')}"]
`
}

function storageConf(folder) {
  return `
[storage]
driver = "overlay"
graphroot = "${join(folder, 'storage')}"
runroot = "${join(folder, 'run')}"
`
}
