import { parse } from 'smol-toml'
import { EnvdError } from '../error.ts'
import { evaluateMarker, markerEnvironment } from '../marker/evaluate-marker.ts'
import { parseRequirement } from '../marker/requirement.ts'
import type { Target } from '../target/target.ts'

/** What a project without `[build-system]` needs (PEP 517, "Build requirements"; pip's default). */
const usual = ['setuptools']

/**
 * Names, normalized, of the distributions that a project is built with (PEP 518, `build-system.requires`) for a target.
 * `text` is its pyproject.toml; null: it has none. Errors: PROJECT_BUILD_FAILED.
 */
export function buildRequirements(text: string | null, target: Target): string[] {
  const environment = markerEnvironment(target)
  return requiresOf(text).flatMap(line => {
    try {
      const { name, marker } = parseRequirement(line, { file: 'pyproject.toml' })
      return marker === null || evaluateMarker(marker, environment) ? [name] : []
    } catch (cause) {
      throw invalid(`build-system.requires holds ${JSON.stringify(line)}, which is no requirement`, cause)
    }
  })
}

function requiresOf(text: string | null): readonly string[] {
  if (text === null) return usual
  const requires = parsed(text)
  if (requires === undefined) return usual
  if (Array.isArray(requires) && requires.every(one => typeof one === 'string')) return requires
  throw invalid('build-system.requires is no list of requirements')
}

function parsed(text: string): unknown {
  try {
    const { 'build-system': system } = parse(text) as { 'build-system'?: { requires?: unknown } }
    return system?.requires
  } catch (cause) {
    throw invalid((cause as Error).message.split('\n', 1)[0]!, cause)
  }
}

function invalid(problem: string, cause?: unknown): EnvdError {
  return new EnvdError('PROJECT_BUILD_FAILED', `pyproject.toml of the project: ${problem}`, {
    hint: 'Correct pyproject.toml in the checkout.',
    cause,
  })
}
