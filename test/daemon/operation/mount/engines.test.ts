import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { MountPlan } from '../../../../src/mount/mount-plan.ts'
import { cdiSpec } from '../../../../src/mount/render/cdi.ts'
import { renderMounts } from '../../../../src/mount/render/mount-form.ts'
import { type Podman, SMALL_IMAGE, startPodman } from '../../../fixture/podman/podman.ts'
import { LOOK, viewOf } from '../../../mount/support/container-view.ts'
import { DIGEST, plainPlan } from '../../../mount/support/plans.ts'
import { understoodOf } from '../../../mount/support/understood.ts'

/** As odd as overlayfs lets a podman's own storage be beside it. */
const odd = `vol "ume', a:b=$(c) é`

describe.each(['crun', 'runc'] as const)('%s', async runtime => {
  const podman = await startPodman(runtime)
  let plan: MountPlan

  beforeAll(() => {
    const id = podmanIn(podman, 'inspect', '--format', '{{.Id}}', SMALL_IMAGE).trim()
    plan = planOn(join(podman.folder, odd), id)
    // A mount below the tree: read-only has to hold for it, too.
    inNamespace(podman, 'mount', '-t', 'tmpfs', 'tmpfs', join(plan.mounts[0]!.source, 'sub'))
  })

  test('the command for podman, pasted into a shell, makes the mounts and variables of the plan', () => {
    const text = renderMounts(plan, 'podman').text.trimEnd()
    const id = pasted(podman, `${text.replace('run --rm', 'create')} true`).trim()
    const [{ Mounts, HostConfig, Config }] = JSON.parse(podmanIn(podman, 'inspect', id))
    expect(bindsOf(Mounts)).toEqual(bindsWanted(plan))
    expect(Object.keys(HostConfig.Tmpfs)).toEqual(['/opt/envd/scratch'])
    expect(Config.Env).toEqual(expect.arrayContaining(assignedBy(plan)))
    expectContainer(plan, pasted(podman, `${text} sh -c '${LOOK}'`))
  })

  test('it brings the image from a layout at any path, once', () => {
    const { root, id } = layoutOf(podman, join(podman.folder, `${odd} IMAGES`))
    const command = renderMounts(
      { ...plan, image: { ...plan.image!, layout: join(root, 'oci'), id } },
      'podman',
    ).text
    expect(pasted(podman, `${command.trimEnd()} echo started`)).toBe(`${id}\nstarted\n`)
    rmSync(root, { recursive: true })
    expect(pasted(podman, `${command.trimEnd()} echo started`)).toBe('started\n')
  })

  test('as a user without a home, too', () => {
    const text = renderMounts(plan, 'podman').text.replace('--rm', '--rm --user 4321:4321').trimEnd()
    expectContainer(plan, pasted(podman, `${text} sh -c '${LOOK}'`))
  })

  test('the spec for CDI makes them, beside the device of another vendor', () => {
    writeFileSync(join(podman.cdiFolder, 'task.json'), JSON.stringify(cdiSpec(plan)))
    writeFileSync(join(podman.cdiFolder, 'gpu.json'), JSON.stringify(anotherVendor))
    const option = renderMounts(plan, 'cdi').text.trimEnd()
    const output = pasted(
      podman,
      `podman run --rm --device gpu.example/gpu=all ${option} ${SMALL_IMAGE} sh -c '${LOOK}'`,
    )
    expectContainer(plan, output)
    expect(viewOf(output).variables).toMatchObject({ NVIDIA_VISIBLE_DEVICES: 'void' })
  })

  test('a layer of the spec lies over the environment, read-only', async () => {
    const [tree, layer] = ['tree', 'layer/tree'].map(name => join(podman.folder, 'plain', name))
    for (const [folder, file] of [
      [tree!, 'file'],
      [layer!, 'laid'],
    ] as const) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, file), '')
    }
    const layered = { ...plainPlan({ task: 'layered', tree: tree!, layers: [layer!] }) }
    writeFileSync(join(podman.cdiFolder, 'layered.json'), JSON.stringify(cdiSpec(layered)))
    const look = 'ls /opt/envd/env; touch /opt/envd/env/laid 2>&1'
    const output = await podman.run(
      'run',
      '--rm',
      '--device',
      'envd.dev/task=layered',
      SMALL_IMAGE,
      'sh',
      '-c',
      look,
    )
    expect(output.stdout).toBe('file\nlaid\ntouch: /opt/envd/env/laid: Read-only file system\n')
  })

  test('the fragment for an OCI runtime makes them', () => {
    const bundle = join(podman.folder, 'bundle')
    mkdirSync(bundle)
    execFileSync(runtime, ['spec'], { cwd: bundle })
    const config = JSON.parse(readFileSync(join(bundle, 'config.json'), 'utf8'))
    const { mounts, process } = JSON.parse(renderMounts(plan, 'oci').text)
    const rootfs = podmanIn(podman, 'mount', podmanIn(podman, 'create', SMALL_IMAGE, 'true').trim()).trim()
    Object.assign(config.root, { path: rootfs, readonly: false })
    Object.assign(config.process, { terminal: false, args: ['sh', '-c', LOOK], rlimits: [] })
    config.process.env = process.env
    config.mounts.push(...mounts)
    writeFileSync(join(bundle, 'config.json'), JSON.stringify(config))
    const id = `envd-test-${randomUUID()}`
    expectContainer(
      plan,
      inNamespace(podman, runtime, '--root', join(podman.folder, 'oci'), 'run', '-b', bundle, id),
    )
  })

  test('the patch for Kubernetes is read by the parser of podman kube', () => {
    const named = { ...plan.image!, registry: `docker://${SMALL_IMAGE}` }
    const pod = `apiVersion: v1\nkind: Pod\nmetadata:\n  name: pod\n${renderMounts({ ...plan, image: named }, 'kubernetes').text}`
    const file = join(podman.folder, 'pod.yaml')
    writeFileSync(file, pod.replace('- name: task', '- name: task\n      command: ["true"]'))
    playKube(podman, file)
    const [{ Mounts, Config }] = JSON.parse(podmanIn(podman, 'inspect', 'pod-task'))
    expect(bindsOf(Mounts)).toEqual(bindsWanted(plan))
    // This parser leaves the dollar signs doubled that Kubernetes reads as one.
    expect(Config.Env).toEqual(
      expect.arrayContaining(assignedBy(plan).map(one => one.replaceAll('$', '$$$$'))),
    )
  })
})

interface Mount {
  readonly Type: string
  readonly Source: string
  readonly Destination: string
  readonly RW: boolean
}

const anotherVendor = {
  cdiVersion: '0.3.0',
  kind: 'gpu.example/gpu',
  devices: [{ name: 'all', containerEdits: { env: ['NVIDIA_VISIBLE_DEVICES=void'] } }],
}

function planOn(volume: string, id: string): MountPlan {
  const [tree, python, weights] = ['env/tree', `python/${DIGEST}/tree`, 'weights/tree'].map(name =>
    join(volume, name),
  )
  for (const folder of [tree!, python!, weights!]) mkdirSync(join(folder, 'sub'), { recursive: true })
  for (const folder of [tree!, join(tree!, 'sub')])
    writeFileSync(join(folder, 'file'), 'sealed', { mode: 0o666 })
  const plan = plainPlan({
    tree: tree!,
    python: { digest: DIGEST, tree: python! },
    artifacts: [
      {
        ...{ key: 'd'.repeat(64), source: weights!, destination: '/opt/envd/artifacts/hub' },
        variables: { ODD: `a "b", $HOME $(id) 'c'\\ =\nd`, EMPTY: '' },
      },
    ],
    image: { name: 'small', layout: join(volume, 'oci'), id, registry: null, path: null },
  })
  return plan
}

/** Of `podman inspect`, whose order is any. */
function bindsOf(mounts: readonly Mount[]): Set<string> {
  const binds = mounts.filter(({ Type }) => Type === 'bind')
  return new Set(binds.map(({ Source, Destination, RW }) => JSON.stringify([Source, Destination, RW])))
}

function bindsWanted({ mounts }: MountPlan): Set<string> {
  return new Set(mounts.map(({ source, destination }) => JSON.stringify([source, destination, false])))
}

function assignedBy(plan: MountPlan): string[] {
  return Object.entries(understoodOf(plan).variables).map(pair => pair.join('='))
}

/** A container as the plan wants it: its mounts and no other, none to be written but scratch. */
function expectContainer(plan: MountPlan, output: string): void {
  const { mounts, variables, rest } = viewOf(output)
  expect(output).not.toContain(plan.task)
  const { '/opt/envd/scratch': scratch, '/opt/envd/env/sub': below, ...binds } = mounts
  expect(Object.keys(binds).sort()).toEqual(plan.mounts.map(({ destination }) => destination).sort())
  for (const { source, destination } of plan.mounts) {
    const { root, options } = binds[destination]!
    expect(source.endsWith(root)).toBe(true)
    expect(options).toEqual(expect.arrayContaining(['ro', 'nosuid', 'nodev']))
  }
  // What lies below is not brought along, or read-only as well.
  if (below !== undefined) expect(below.options).toContain('ro')
  expect(scratch?.options).toEqual(expect.arrayContaining(['rw', 'nosuid', 'nodev']))
  expect(scratch?.options).not.toContain('noexec')
  expect(variables).toMatchObject(understoodOf(plan).variables)
  expect(rest).toEqual([
    '1777',
    'touch: /opt/envd/env/new: Read-only file system',
    expect.stringContaining('/opt/envd/env/file: Read-only file system'),
    'touch: /opt/envd/env/sub/new: Read-only file system',
    'executes',
    'has a home',
  ])
}

/** A layout with an image that podman doesn't have, named as the plan's. */
function layoutOf(podman: Podman, root: string): { readonly root: string; readonly id: string } {
  const [rootfs, archive] = [join(root, 'rootfs'), join(podman.folder, 'rootfs.tar')]
  mkdirSync(join(rootfs, 'bin'), { recursive: true })
  execFileSync('cp', ['/bin/busybox', join(rootfs, 'bin/echo')])
  execFileSync('tar', ['-C', rootfs, '-cf', archive, '.'])
  const imported = podmanIn(podman, 'import', '-q', archive, 'localhost/other:1').trim()
  execFileSync('mkdir', [join(root, 'oci')])
  inNamespace(podman, 'sh', '-c', 'cd "$1" && podman push -q localhost/other:1 oci:oci:small', 'sh', root)
  podmanIn(podman, 'rmi', imported)
  const index = JSON.parse(readFileSync(join(root, 'oci/index.json'), 'utf8'))
  const manifest = readFileSync(join(root, 'oci/blobs', index.manifests[0].digest.replace(':', '/')), 'utf8')
  return { root, id: JSON.parse(manifest).config.digest.replace('sha256:', '') }
}

/** What a shell answers to the pasted text; standard error joined, since `podman run` has nothing to say there. */
function pasted({ under, environment }: Podman, text: string): string {
  const { status, stdout, stderr } = spawnSync(under[0]!, [...under.slice(1), 'sh', '-c', text], {
    ...{ encoding: 'utf8', env: { ...process.env, ...environment } },
  })
  if (status !== 0) throw new Error(`${text}: ${status} ${stderr}`)
  return stdout
}

function inNamespace({ under, environment }: Podman, ...command: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(under[0]!, [...under.slice(1), ...command], {
    ...{ encoding: 'utf8', env: { ...process.env, ...environment } },
  })
  if (status !== 0) throw new Error(`${command.join(' ')}: ${status} ${stderr}`)
  return stdout
}

function podmanIn(podman: Podman, ...args: readonly string[]): string {
  return inNamespace(podman, 'podman', ...args)
}

/** A pod has a container that holds its namespaces; here of an image that isn't downloaded or built. */
function playKube(podman: Podman, file: string): void {
  const [archive, configuration] = ['infra.tar', 'infra.conf'].map(name => join(podman.folder, name))
  execFileSync('tar', ['-cf', archive!, '-T', '/dev/null'])
  podmanIn(podman, 'import', '-q', '--change', 'CMD ["/true"]', archive!, 'localhost/infra:1')
  const conf = readFileSync(podman.environment.CONTAINERS_CONF!, 'utf8')
  writeFileSync(configuration!, conf.replace('[engine]', '[engine]\ninfra_image = "localhost/infra:1"'))
  const there = { ...podman, environment: { ...podman.environment, CONTAINERS_CONF: configuration! } }
  // It asks for its working directory, which a namespace entered from outside has none of.
  inNamespace(there, 'sh', '-c', 'cd / && exec podman kube play --start=false "$1"', 'sh', file)
}
