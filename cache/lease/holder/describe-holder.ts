import type { LeaseRecord } from '../lease-record.ts'

/** Who holds a lease, for the message that refuses to remove what it claims: `process 12 on host uses it since …`. */
export function describeHolder({
  kind,
  pid,
  hostName,
  since,
  expires,
  task,
  container,
}: LeaseRecord): string {
  switch (kind) {
    case 'build':
      return `process ${pid} on ${hostName} builds it since ${since}`
    case 'run':
      return `process ${pid} on ${hostName} uses it since ${since}`
    case 'mount':
      return `${hostName} keeps it for containers of ${task} that are about to start, until ${expires}`
    case 'container':
      return `container ${container} on ${hostName} uses it, for ${task}, since ${since}`
  }
}
