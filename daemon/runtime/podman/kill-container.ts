import { runTool } from '../../tool/run-tool.ts'

/** Ends a container at once and removes it, whether it runs or only was made; one that is gone is no failure. */
export async function killContainer(id: string | null, environment: NodeJS.ProcessEnv): Promise<void> {
  if (id === null) return
  const args = ['rm', '--force', '--ignore', '--time', '0', id]
  const { signal } = new AbortController()
  await runTool({ tool: 'podman', purpose: 'to end containers', args, environment, signal })
}
