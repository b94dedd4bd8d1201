import type { BuildReport, FullReport, StorageReport } from '../../../src/api/report.ts'
import { buildsText } from '../../render/report/builds-text.ts'
import { csvText } from '../../render/report/csv-text.ts'
import { storageText } from '../../render/report/storage-text.ts'
import type { Verb } from '../../verb.ts'
import { historyRequest } from './history-request.ts'
import { asPage, outputOf, type Reported } from './output.ts'

export const full: Verb<Reported<FullReport>> = {
  async run({ options, json }, context) {
    const [request, output] = [historyRequest(options), outputOf(options, json)]
    const door = await context.door()
    const storage = await door.reportStorage({ tasks: [] }, context)
    const build = await door.reportBuilds(request)
    return asPage({ ...storage, build }, { storage, build }, output)
  },
  text: (report, style) =>
    report.csv === undefined
      ? `${storageText(report, style)}\n${buildsText(report.build, style)}`
      : csvText({ storage: report, build: report.build }),
}

export const storage: Verb<Reported<StorageReport>> = {
  async run({ arguments: tasks, options, json }, context) {
    const output = outputOf(options, json)
    const storage = await (await context.door()).reportStorage({ tasks }, context)
    return asPage(storage, { storage }, output)
  },
  text: (report, style) =>
    report.csv === undefined ? storageText(report, style) : csvText({ storage: report }),
}

export const build: Verb<Reported<BuildReport>> = {
  async run({ options, json }, context) {
    const [request, output] = [historyRequest(options), outputOf(options, json)]
    const build = await (await context.door()).reportBuilds(request)
    return asPage(build, { build }, output)
  },
  text: (report, style) =>
    report.csv === undefined ? buildsText(report, style) : csvText({ build: report }),
}
