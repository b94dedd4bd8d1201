import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { EnvdError } from '../../../src/error.ts'
import type { Authorization } from '../../download/http/send.ts'

export interface HubConfiguration {
  /** Without a slash at the end, and without credentials. */
  readonly endpoint: string
  readonly authorization: Authorization | null
}

/**
 * Where the hub is and who asks, as huggingface_hub finds it out (its documentation, "Environment variables"):
 * HF_ENDPOINT; HF_TOKEN over HUGGING_FACE_HUB_TOKEN over the file HF_TOKEN_PATH, by default $HF_HOME/token;
 * HF_HUB_DISABLE_IMPLICIT_TOKEN: none. Errors: CONFIG_INVALID.
 */
export function readHubConfiguration(environment: NodeJS.ProcessEnv): HubConfiguration {
  const endpoint = (environment.HF_ENDPOINT || 'https://huggingface.co').replace(/\/+$/, '')
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new EnvdError('CONFIG_INVALID', 'HF_ENDPOINT is not the http URL of a hub, without credentials', {
      hint: 'Write HF_ENDPOINT=https://hub.example, and the token in HF_TOKEN.',
    })
  }
  const token = findToken(environment)
  return { endpoint, authorization: token === null ? null : { origin: url.origin, token } }
}

function findToken(environment: NodeJS.ProcessEnv): string | null {
  if (/^(1|on|yes|true)$/i.test(environment.HF_HUB_DISABLE_IMPLICIT_TOKEN ?? '')) return null
  const said = environment.HF_TOKEN || environment.HUGGING_FACE_HUB_TOKEN
  return clean(said ?? '') ?? clean(readTokenFile(environment))
}

function readTokenFile(environment: NodeJS.ProcessEnv): string {
  const home = environment.HOME ?? homedir()
  const cache = environment.XDG_CACHE_HOME || join(home, '.cache')
  const hubHome = environment.HF_HOME || join(cache, 'huggingface')
  try {
    return readFileSync(environment.HF_TOKEN_PATH || join(hubHome, 'token'), 'utf8')
  } catch {
    return ''
  }
}

/** A header holds no line feed. */
function clean(token: string): string | null {
  const cleaned = token.replace(/[\r\n]/g, '').trim()
  return cleaned === '' ? null : cleaned
}
