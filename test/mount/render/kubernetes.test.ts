import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EnvdError } from '../../../src/error.ts'
import { renderKubernetes } from '../../../src/mount/render/kubernetes.ts'
import { readKubernetes } from '../support/kubernetes.ts'
import { anyPlan, BASE, plainPlan, REFERENCE } from '../support/plans.ts'
import { understoodOf } from '../support/understood.ts'

test('the patch says the plan, whatever the paths; a colon in a path of the container is refused', () => {
  fc.assert(
    fc.property(anyPlan, plan => {
      const colon = plan.mounts.find(({ destination }) => destination.includes(':'))
      if (colon === undefined) {
        const { image: _, ...understood } = readKubernetes(renderKubernetes(plan).text)
        expect(understood).toEqual(understoodOf(plan))
      } else {
        const refused = expect.objectContaining({
          code: 'MOUNT_NOT_EXPRESSIBLE',
          details: { tool: 'Kubernetes', what: colon.destination },
        })
        expect(() => renderKubernetes(plan)).toThrow(refused)
        expect(() => renderKubernetes(plan)).toThrow(EnvdError)
      }
    }),
    { numRuns: 300 },
  )
})

test('the image of a registry is named by digest; one that was built here is left to the user', () => {
  expect(readKubernetes(renderKubernetes(plainPlan()).text).image).toBe(REFERENCE.replace('docker://', ''))
  const local = plainPlan({
    image: { ...BASE, registry: null, path: null },
  })
  expect(readKubernetes(renderKubernetes(local).text).image).toBeNull()
})

test('the patch in full', () => {
  const text = renderKubernetes({
    ...plainPlan({ tree: '/srv/my volume/tree' }),
    variables: { VIRTUAL_ENV: '/opt/envd/env', PRICE: '$(HOME) "5"' },
  }).text
  expect(text).toBe(`spec:
  containers:
    - name: task
      image: "${REFERENCE.replace('docker://', '')}"
      env:
        - name: "VIRTUAL_ENV"
          value: "/opt/envd/env"
        - name: "PRICE"
          value: "$$(HOME) \\"5\\""
        - name: "PATH"
          value: "/opt/envd/env/bin:/usr/bin:/bin"
      volumeMounts:
        - name: envd-0
          mountPath: "/opt/envd/env"
          readOnly: true
          recursiveReadOnly: Enabled
        - name: envd-scratch-0
          mountPath: "/opt/envd/scratch"
  volumes:
    - name: envd-0
      hostPath:
        path: "/srv/my volume/tree"
        type: Directory
    - name: envd-scratch-0
      emptyDir: {}
`)
})
