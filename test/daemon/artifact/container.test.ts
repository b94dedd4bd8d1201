import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { artifactDestination, artifactVariables } from '../../../src/artifact/place.ts'
import { hubClient, hubClients } from '../../fixture/hub/hub-client.ts'
import { startPodman } from '../../fixture/podman/podman.ts'
import { hubArtifact, noise, openHub, startWorkshop } from './support.ts'

const podman = await startPodman('crun')

const program = `
from huggingface_hub import hf_hub_download, snapshot_download
import hashlib, os
print(hashlib.sha256(open(hf_hub_download("org/name", "sub/model.bin"), "rb").read()).hexdigest())
print(sorted(os.listdir(snapshot_download("org/name"))))
print(open(hf_hub_download("org/name", "train.csv", repo_type="dataset")).read())
try:
    open(hf_hub_download("org/name", "config.json"), "a")
except OSError as error:
    print(error.strerror)
`

test.each(hubClients.flatMap(client => [0, 1000].map(user => [client, user] as const)))(
  '%s finds weights and data sets in a container without network, as user %d',
  async (requirement, user) => {
    const hub = await openHub()
    const bytes = noise(200_000, 1)
    const model = hub.push('models/org/name', { 'config.json': Buffer.from('{}'), 'sub/model.bin': bytes })
    const data = hub.push('datasets/org/name', { 'train.csv': Buffer.from('a,b') })
    const { fetch } = startWorkshop({ HF_ENDPOINT: hub.endpoint })
    const options = [
      '--network',
      'none',
      '--user',
      String(user),
      '--env',
      'HF_HOME=/nowhere',
      '--env',
      'HOME=/nowhere',
    ]
    const mount = (source: string, destination: string) =>
      options.push('--mount', `type=bind,source=${source},destination=${destination},ro`)
    for (const artifact of [hubArtifact(model.commit), hubArtifact(data.commit, { type: 'dataset' })]) {
      mount((await fetch(artifact)).path, artifactDestination(artifact))
      for (const [name, value] of Object.entries(artifactVariables(artifact)))
        options.push('--env', `${name}=${value}`)
    }
    mount(hubClient(requirement).folder, '/client')
    const command = ['python3', '-B', '-c', program]
    const said = await podman.output([...options, '--env', 'PYTHONPATH=/client'], command)
    expect(said.trim().split('\n')).toEqual([
      createHash('sha256').update(bytes).digest('hex'),
      "['config.json', 'sub']",
      'a,b',
      user === 0 ? 'Read-only file system' : expect.stringMatching(/Read-only file system|Permission denied/),
    ])
  },
)
