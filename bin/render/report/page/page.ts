import type { BuildReport, StorageReport } from '../../../../src/api/report.ts'
import { VERSION } from '../../../../src/version.ts'
import { buildSections } from './build-sections.ts'
import { markup, nothing } from './markup.ts'
import { storageSections } from './storage-sections.ts'
import { pageStyle } from './style.ts'

/** A page that needs nothing but itself: no script, no font, no address. */
export function pageText({ storage, build }: { storage?: StorageReport; build?: BuildReport }): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>What envd costs and saves</title>
<style>${{ html: pageStyle }}</style>
</head>
<body>
<main>
<h1>What envd costs and saves</h1>
<p class="soft">by envd ${VERSION}, ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC</p>
${storage === undefined ? nothing : storageSections(storage)}
${build === undefined ? nothing : buildSections(build)}
</main>
</body>
</html>
`.html
}
