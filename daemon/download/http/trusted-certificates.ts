import { readFileSync } from 'node:fs'
import { EnvdError } from '../../../src/error.ts'

/**
 * The certificates to trust instead of Node's own, as the hub's client for Python finds them: REQUESTS_CA_BUNDLE over
 * SSL_CERT_FILE, in PEM. Null: Node's, with those of NODE_EXTRA_CA_CERTS. Errors: CONFIG_INVALID.
 */
export function trustedCertificates(environment: NodeJS.ProcessEnv): string | null {
  const name = ['REQUESTS_CA_BUNDLE', 'SSL_CERT_FILE'].find(one => environment[one])
  if (name === undefined) return null
  const file = environment[name]!
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new EnvdError('CONFIG_INVALID', `${name} names a file that can't be read: ${file}`, {
      hint: 'Name a file of certificates in PEM, or unset it.',
      details: { file },
      cause,
    })
  }
}
