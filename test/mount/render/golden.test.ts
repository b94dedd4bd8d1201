import { expect, test } from 'vitest'
import { type MountForm, renderMounts } from '../../../src/mount/render/mount-form.ts'
import { BASE, KEY, plainPlan, REFERENCE } from '../support/plans.ts'

const plan = {
  ...plainPlan({ tree: `/srv/my volume/envs/${KEY}/tree` }),
  variables: { VIRTUAL_ENV: '/opt/envd/env', HOME: '/opt/envd/scratch' },
}
const image = REFERENCE.replace('docker://', '')
const PATH = 'PATH=/opt/envd/env/bin:/usr/bin:/bin'

const golden: [MountForm, string][] = [
  [
    'podman',
    `podman image exists ${BASE.id} || (cd /srv/volume/images && podman pull --quiet oci:oci:base)
podman run --rm \\
  --mount 'type=bind,source=/srv/my volume/envs/${KEY}/tree,destination=/opt/envd/env,ro=true,bind-nonrecursive=true,bind-propagation=private,nosuid,nodev' \\
  --mount type=tmpfs,destination=/opt/envd/scratch,tmpfs-mode=1777,notmpcopyup,exec,nosuid,nodev \\
  --env VIRTUAL_ENV=/opt/envd/env \\
  --env HOME=/opt/envd/scratch \\
  --env ${PATH} \\
  ${BASE.id}
`,
  ],
  [
    'docker',
    `docker run --rm \\
  --mount 'type=bind,source=/srv/my volume/envs/${KEY}/tree,target=/opt/envd/env,readonly,bind-recursive=readonly,bind-propagation=rprivate' \\
  --tmpfs /opt/envd/scratch:rw,exec,nosuid,nodev,mode=1777 \\
  --env VIRTUAL_ENV=/opt/envd/env \\
  --env HOME=/opt/envd/scratch \\
  --env ${PATH} \\
  ${image}
`,
  ],
  [
    'apptainer',
    `apptainer exec --cleanenv \\
  --mount 'type=bind,source=/srv/my volume/envs/${KEY}/tree,destination=/opt/envd/env,ro' \\
  --scratch /opt/envd/scratch \\
  --env VIRTUAL_ENV=/opt/envd/env \\
  --env ${PATH} \\
  oci:/srv/volume/images/oci:base
`,
  ],
  ['cdi', '--device envd.dev/task=my-task\n'],
  [
    'oci',
    `${JSON.stringify(
      {
        mounts: [
          {
            destination: '/opt/envd/env',
            type: 'bind',
            source: `/srv/my volume/envs/${KEY}/tree`,
            options: ['rbind', 'rro', 'nosuid', 'nodev'],
          },
          {
            destination: '/opt/envd/scratch',
            type: 'tmpfs',
            source: 'tmpfs',
            options: ['mode=1777', 'nosuid', 'nodev'],
          },
        ],
        process: { env: ['VIRTUAL_ENV=/opt/envd/env', 'HOME=/opt/envd/scratch', PATH] },
      },
      null,
      2,
    )}\n`,
  ],
]

test.each(golden)('for %s', (form, text) => {
  expect(renderMounts(plan, form).text).toBe(text)
})

test('for pyxis, at a path it takes', () => {
  const [environment, ...rest] = plan.mounts
  const mounts = [{ ...environment!, source: `/srv/volume/envs/${KEY}/tree` }, ...rest]
  expect(renderMounts({ ...plan, mounts }, 'pyxis').text).toBe(`srun \\
  --export=ALL,PYTHONHOME=,PYTHONPATH=,VIRTUAL_ENV=/opt/envd/env,HOME=/opt/envd/scratch,${PATH} \\
  --container-env=VIRTUAL_ENV,HOME,PATH \\
  --container-mounts=/srv/volume/envs/${KEY}/tree:/opt/envd/env:ro+nosuid+nodev+rprivate,tmpfs:/opt/envd/scratch:mode=1777+nosuid+nodev
`)
})
