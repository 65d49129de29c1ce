// Draws docs/images/house.svg from the imports of the server: its folders, what is in each, and which folder imports which.
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const SERVER = join(ROOT, 'packages', 'server', 'src')
const PICTURE = join(ROOT, 'docs', 'images', 'house.svg')

/** The folders in the order of the data, the last one at the top; `base` is imported by all and drawn as the ground. */
const FOLDERS = ['catalog', 'source', 'release', 'query', 'http', 'distribution', 'explorer', 'cli'] as const

const WORDS: Readonly<Record<(typeof FOLDERS)[number], string>> = {
  catalog: 'what a code list is',
  source: 'where rows come from',
  release: 'rows built, kept, compared, signed',
  query: 'which records, in what order and form',
  http: 'requests and responses',
  distribution: 'many machines, the same releases',
  explorer: 'pages for people',
  cli: 'commands, flags, terminal',
}

const BOX = { width: 650, height: 62, gap: 16, left: 24, top: 24 }
const ARCS = 190

/** The folders that a folder imports, as its files say. */
async function importsOf(folder: string, files: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const file of files) {
    const text = await Bun.file(join(SERVER, file)).text()
    for (const [, path = ''] of text.matchAll(/from '((?:\.\.\/)+[^']+)'/g)) {
      const target = join('/', file, '..', path).split('/')[1] as string
      if (target !== folder && FOLDERS.some((one) => one === target)) found.add(target)
    }
  }
  return found
}

export async function housePicture(): Promise<string> {
  const files = [...new Bun.Glob('**/*.ts').scanSync(SERVER)].filter((file) => !file.endsWith('.test.ts')).sort()
  const row = (folder: string) => FOLDERS.length - 1 - FOLDERS.indexOf(folder as (typeof FOLDERS)[number])
  const top = (folder: string) => BOX.top + row(folder) * (BOX.height + BOX.gap)
  const right = BOX.left + BOX.width
  const boxes: string[] = []
  const arcs: string[] = []
  for (const folder of FOLDERS) {
    const own = files.filter((file) => file.startsWith(`${folder}/`))
    const rooms = [
      ...new Set(own.map((file) => file.split('/')).flatMap((steps) => (steps.length > 2 ? steps[1] : []))),
    ]
    const y = top(folder)
    boxes.push(
      `<rect x="${BOX.left}" y="${y}" width="${BOX.width}" height="${BOX.height}" fill="#f3f0e9" stroke="#8a8577"/>`,
      `<text x="${BOX.left + 14}" y="${y + 25}" class="name">${folder}/</text>`,
      `<text x="${right - 14}" y="${y + 25}" class="words" text-anchor="end">${WORDS[folder]}</text>`,
      `<text x="${BOX.left + 14}" y="${y + 48}" class="rooms">${rooms.join(' · ')}</text>`,
    )
    for (const target of await importsOf(folder, own)) {
      const [from, to] = [y + BOX.height / 2, top(target) + BOX.height / 2]
      // The farther an arrow goes, the wider its bow.
      const reach = right + 30 + Math.abs(row(target) - row(folder)) * 24
      const isUp = row(target) < row(folder)
      arcs.push(
        `<path d="M${right} ${from + 8} C${reach} ${from + 8} ${reach} ${to - 8} ${right + 8} ${to - 8}" class="${isUp ? 'wrong' : 'arc'}"/>`,
      )
    }
  }
  const ground = BOX.top + FOLDERS.length * (BOX.height + BOX.gap)
  const [width, height] = [right + ARCS, ground + 54]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="The folders of the server from the commands at the top to the lists at the bottom; arrows go from a folder to those that it imports, and all go down">
<style>text{font:14px system-ui,sans-serif;fill:#1c2430}.name{font:600 17px Georgia,serif}.words{fill:#525c69}.rooms{font:12px ui-monospace,monospace;fill:#525c69}.arc{fill:none;stroke:#9a3f1d;stroke-width:1.3;marker-end:url(#end)}.wrong{fill:none;stroke:#a3161a;stroke-width:3;marker-end:url(#end)}</style>
<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#9a3f1d"/></marker></defs>
<rect width="${width}" height="${height}" fill="#fbfaf7"/>
${[...arcs, ...boxes].join('\n')}
<rect x="${BOX.left}" y="${ground}" width="${BOX.width}" height="30" fill="#e1efe9" stroke="#1f5d4c"/>
<text x="${BOX.left + 14}" y="${ground + 20}" class="name">base/</text><text x="${right - 14}" y="${ground + 20}" class="words" text-anchor="end">what all import</text>
</svg>
`
}

if (import.meta.main) await Bun.write(PICTURE, await housePicture())
