import type { Place } from '../../error.ts'
import type { Marker } from '../../marker/marker.ts'
import { parseRequirement } from '../../marker/requirement.ts'
import { pinnedVersion } from '../../version/specifier.ts'
import type { Edge, Lock, LockedPackage } from '../lock.ts'
import { refuseAutoTorch } from '../locked/auto-torch.ts'
import { refuse } from '../locked/refuse.ts'
import { separateHashes } from './requirement-hashes.ts'
import { type RequirementLine, requirementLines } from './requirement-lines.ts'
import { OptionLines, type RequirementOptions } from './requirement-options.ts'
import { directOrigin } from './requirement-origin.ts'

/**
 * Requirements with hashes as pip-compile and `uv pip compile --generate-hashes` write them (pip,
 * "Requirements File Format"). They name digests, not files: `withFiles` adds these.
 */
export function parseRequirements(text: string, file: string): Lock {
  refuseAutoTorch(text, file)
  const options = new OptionLines()
  const packages: LockedPackage[] = []
  const roots: Edge[] = []
  const lines = requirementLines(text)
  for (const line of lines) if (line.text.startsWith('-')) options.add(line.text, { file, line: line.line })
  for (const line of lines) {
    if (line.text.startsWith('-')) continue
    const { locked, marker } = parseLine(line, file, options)
    roots.push({ to: packages.length, extras: [], marker })
    packages.push(locked)
  }
  return {
    format: 'requirements',
    file,
    requiresPython: null,
    environments: [],
    packages,
    roots,
    extras: new Map(),
    groups: new Map(),
    defaultGroups: [],
    conflicts: [],
    furtherIndexes: options.furtherIndexes,
    needsFiles: packages.some(locked => locked.source.kind === 'registry'),
    locate: () => ({ file }),
  }
}

function parseLine(
  line: RequirementLine,
  file: string,
  options: RequirementOptions,
): { readonly locked: LockedPackage; readonly marker: Marker | null } {
  const place: Place = { file, line: line.line }
  const { requirement: written, digests } = separateHashes(line, file)
  refuseUnnamed(written, place)
  const { name, specifier, url, marker } = parseRequirement(written, { ...place, column: 1 })
  const common = { name, requiresPython: null, dependencies: [], extras: new Map(), place }
  if (url !== null) {
    return {
      locked: { ...common, ...directOrigin(url, digests, place), version: null, only: null, digests: [] },
      marker,
    }
  }
  const version = pinnedVersion(specifier)
  if (version === null) refuse('LOCK_NOT_PINNED', place, `${written} pins no version of ${name}`)
  if (digests.length === 0) refuse('LOCK_NO_DIGEST', place, `${name} ${version} has no digest`)
  return {
    locked: {
      ...common,
      version,
      source: { kind: 'registry', index: null },
      only: options.only(name),
      wheels: [],
      sdist: null,
      digests,
    },
    marker,
  }
}

/** A path or URL alone, and what the environment would have to complete. */
function refuseUnnamed(written: string, place: Place): void {
  if (/\$\{[A-Z0-9_]+\}/.test(written)) {
    refuse('LOCK_NOT_PINNED', place, `${written} depends on a variable of the environment`, {
      hint: 'Write the value into the lock.',
    })
  }
  if (/^(?:[./~]|[a-z][a-z0-9+.-]*:\/\/|file:)/i.test(written)) {
    refuse('LOCK_NOT_PINNED', place, `${written} is a path or URL without a name`, {
      hint: 'Write it as `name @ url` with its --hash, or with a git commit.',
    })
  }
}
