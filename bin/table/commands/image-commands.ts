import type { CommandEntry } from '../entry.ts'

const images = { name: 'image', kind: 'text', count: 'any' } as const

/** Base images. */
export const imageCommands = {
  'image ls': {
    summary: 'list the base images with state, size, digest and the tasks that name them',
    arguments: [],
    options: [],
    examples: [{ line: 'envd image ls', what: 'of ./base-images, and those that come with envd' }],
  },
  'image build': {
    summary: 'build base images from Debian packages; the same packages give the same image',
    arguments: [images],
    options: [
      { name: 'all', summary: 'every image that is built' },
      { name: 'update', summary: 'from the packages the mirrors have now, not those it was built from' },
    ],
    examples: [
      { line: 'envd image build debian-bookworm', what: 'needs a network the first time only' },
      { line: 'envd image build --all --update', what: 'with what the mirrors of apt have now' },
    ],
  },
  'image pull': {
    summary: 'copy base images from their registries, each pinned by its digest',
    arguments: [images],
    options: [{ name: 'all', summary: 'every image of a registry' }],
    examples: [
      { line: 'envd image pull cuda-12-4', what: 'what is there, whole, is not copied again' },
      { line: 'envd image pull --all', what: 'credentials are those of `skopeo login`' },
    ],
  },
  'image check': {
    summary: 'hash base images on the volume, and hold them against their image.toml',
    arguments: [images],
    options: [{ name: 'all', summary: 'every image on the volume' }],
    examples: [
      { line: 'envd image check debian-bookworm', what: 'exits with status 1 when something is wrong' },
    ],
  },
} as const satisfies Record<string, CommandEntry>
