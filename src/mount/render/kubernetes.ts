import type { MountPlan } from '../mount-plan.ts'
import { registryReference } from './image-argument.ts'
import { bindMounts, type RenderedMounts, refuseCharacters } from './rendered.ts'

const tool = 'Kubernetes'

/**
 * Fragment of a pod (core/v1 PodSpec) as a strategic merge patch: lists are merged by `name` and `mountPath`.
 * `recursiveReadOnly: Enabled` is for 1.31 and later (KEP-3857), and the pod fails where the node can't do it.
 * Strings are JSON's, which YAML 1.2 takes as they are.
 */
export function renderKubernetes(plan: MountPlan): RenderedMounts {
  const binds = bindMounts(plan, tool)
  const image = plan.image && registryReference(plan.image)
  const lines = [
    'spec:',
    '  containers:',
    '    - name: task',
    ...(image === null ? [] : [`      image: ${quoted(image)}`]),
    '      env:',
    ...Object.entries({ ...plan.variables, PATH: plan.path }).flatMap(([name, value]) => [
      `        - name: ${quoted(name)}`,
      `          value: ${quoted(withoutReferences(value))}`,
    ]),
    '      volumeMounts:',
    ...binds.flatMap(({ destination }, index) => [
      `        - name: ${bindName(index)}`,
      `          mountPath: ${mountPath(destination)}`,
      '          readOnly: true',
      '          recursiveReadOnly: Enabled',
    ]),
    ...plan.scratch.flatMap(({ destination }, index) => [
      `        - name: ${scratchName(index)}`,
      `          mountPath: ${mountPath(destination)}`,
    ]),
    '  volumes:',
    ...binds.flatMap(({ source }, index) => [
      `    - name: ${bindName(index)}`,
      '      hostPath:',
      `        path: ${quoted(source)}`,
      '        type: Directory',
    ]),
    ...plan.scratch.flatMap(({ bytes }, index) => [
      `    - name: ${scratchName(index)}`,
      ...(bytes === null
        ? ['      emptyDir: {}']
        : ['      emptyDir:', `        sizeLimit: ${quoted(`${bytes}`)}`]),
    ]),
  ]
  const notes = [
    'call the container as yours is called, and run the pod on a node that has this volume',
    ...(plan.image === null || image !== null
      ? []
      : [`push base image ${plan.image.name} to a registry, and name it`]),
  ]
  return { text: `${lines.join('\n')}\n`, words: null, notes }
}

const bindName = (index: number) => `envd-${index}`
const scratchName = (index: number) => `envd-scratch-${index}`

/** core/v1 VolumeMount: "Must not contain ':'". */
function mountPath(destination: string): string {
  return quoted(refuseCharacters(tool, destination, /:/))
}

/** core/v1 EnvVar: `$(NAME)` is another variable's value, and `$$` a dollar sign. */
function withoutReferences(value: string): string {
  return value.replaceAll('$', '$$$$')
}

/** A JSON string, without what YAML 1.1 (Go's parser) takes for a line end or refuses. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
