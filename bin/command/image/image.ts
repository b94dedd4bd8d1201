import type { BroughtImageRow, CheckedImage, ImageOutcome, ImageRow } from '../../../src/api/images.ts'
import { EnvdError } from '../../../src/error.ts'
import type { Invocation } from '../../arguments/invocation.ts'
import { broughtImagesText, checkedImagesText, imagesText } from '../../render/result/container/images.ts'
import type { Verb } from '../../verb.ts'

type Brought = BroughtImageRow | { readonly images: readonly ImageOutcome[] }

export const list: Verb<readonly ImageRow[]> = {
  run: async (_, context) => (await context.door()).images(),
  text: imagesText,
}

export const pull: Verb<Brought> = bringing('pull')

export const build: Verb<Brought> = bringing('build')

export const check: Verb<readonly CheckedImage[]> = {
  async run(invocation, { door, signal, onEvent }) {
    return (await door()).checkImages(named(invocation, 'check'), { signal, onEvent })
  },
  text: checkedImagesText,
  failure(checked) {
    const wrong = checked.filter(({ problems }) => problems.length > 0).map(({ image }) => image)
    if (wrong.length === 0) return null
    return new EnvdError('IMAGE_DAMAGED', `not as recorded: ${wrong.join(', ')}`, {
      details: { images: wrong },
    })
  },
}

function bringing(how: 'pull' | 'build'): Verb<Brought> {
  return {
    async run(invocation, { door, signal, onEvent }) {
      const images = named(invocation, how)
      const update = invocation.options.has('update')
      const outcomes = await (await door()).bringImages({ how, images, update }, { signal, onEvent })
      const [first] = outcomes
      if (images.length !== 1 || first === undefined) return { images: outcomes }
      if (first.ok) return first.result
      const { code, message, hint, details } = first.error
      throw new EnvdError(code, message, { hint, details })
    },
    text: (brought, style) => broughtImagesText(asOutcomes(brought), style),
    failure(brought) {
      const failed = asOutcomes(brought).flatMap(({ ok, image }) => (ok ? [] : [image]))
      if (failed.length === 0) return null
      return new EnvdError('SOME_FAILED', `not ready: ${failed.join(', ')}`, { details: { images: failed } })
    },
  }
}

function asOutcomes(brought: Brought): readonly ImageOutcome[] {
  return 'images' in brought ? brought.images : [{ image: brought.image, ok: true, result: brought }]
}

/** Empty: all of them. */
function named({ arguments: images, options }: Invocation, verb: string): readonly string[] {
  const all = options.has('all')
  if (all && images.length > 0) throw new EnvdError('USAGE', '--all means every image; name none beside it')
  if (!all && images.length === 0) {
    throw new EnvdError('USAGE', `name an image to ${verb}, or all of them with --all`)
  }
  return [...new Set(images)]
}
