// The picker as users get it: packed in a clone, installed into empty projects, type-checked with React, with Vue and with neither, and run.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileScript, parse } from 'vue/compiler-sfc'
import { launchBrowser } from '../support/browser.ts'
import { installFromClone, output, StrangeProject } from '../support/packed.ts'

const ROOT = join(import.meta.dir, '..', '..')
const MAX_BYTES = 7 << 10
const project = new StrangeProject()
const installed = (...names: readonly string[]) => project.file('node_modules', 'nomenclator-picker', ...names)
const module = () => installed('dist', 'nomenclator-picker.js')

beforeAll(async () => installFromClone('nomenclator-picker', project))
afterAll(() => project[Symbol.dispose]())

describe('the package', () => {
  test('brings nothing but itself, and little of that', () => {
    const declared = Object.keys(JSON.parse(readFileSync(installed('package.json'), 'utf8')))
    expect(declared.filter((member) => /dependencies/i.test(member))).toEqual([])
    expect(readdirSync(installed()).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
    expect(readdirSync(installed('dist')).sort()).toEqual([
      'index.d.ts',
      'nomenclator-picker.d.ts',
      'nomenclator-picker.js',
      'react.d.ts',
      'vue.d.ts',
      'without-dom.js',
    ])
    expect(Bun.gzipSync(readFileSync(module())).length).toBeLessThan(MAX_BYTES)
    expect(new Bun.Transpiler({ loader: 'js' }).scanImports(readFileSync(module(), 'utf8'))).toEqual([])
  })

  test('can be imported where pages are rendered without a browser', async () => {
    expect(
      await output(['node', '--eval', "import('nomenclator-picker').then(() => console.log('yes'))"], project.path),
    ).toBe('yes\n')
  })

  test('defines the element in a browser, also when it is imported twice', async () => {
    const browser = await launchBrowser()
    if (browser === undefined) return
    try {
      const page = await browser.newPage()
      const content = readFileSync(module(), 'utf8')
      await page.setContent('<nomenclator-picker levels="estado" name="lugar" required></nomenclator-picker>')
      for (const _time of [1, 2]) await page.addScriptTag({ content, type: 'module' })
      expect(
        await page.evaluate(`customElements.whenDefined('nomenclator-picker').then(() => {
          const picker = document.querySelector('nomenclator-picker')
          return [picker.name, picker.required, picker.value, picker.checkValidity()]
        })`),
      ).toEqual(['lugar', true, '', false])
    } finally {
      await browser.close()
    }
  })
})

const readme = () => readFileSync(installed('README.md'), 'utf8')
const examples = (language: string) =>
  [...readme().matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code)

/** The links are packages of the framework; the compiler checks everything, the declarations of the packages too. */
const frameworks = [
  { name: 'no framework', program: 'plain.ts', language: 'ts', links: [], examples: 1 },
  { name: 'React', program: 'react.tsx', language: 'tsx', links: ['react', '@types/react', 'csstype'], examples: 2 },
  { name: 'Vue', program: 'vue.ts', language: 'none', links: ['vue', '@vue', '@babel', 'csstype'], examples: 0 },
]

describe('the types accept what is right and refuse what is wrong', () => {
  test.each(frameworks)('with $name', async ({ program, language, links, examples: count }) => {
    using strange = new StrangeProject()
    strange.link('nomenclator-picker', installed())
    for (const name of links) strange.link(name)
    cpSync(join(ROOT, 'test', 'picker-programs', program), strange.file(program))
    const files = examples(language).map((code, at) => {
      writeFileSync(strange.file(`example-${at}.${language}`), code)
      return `example-${at}.${language}`
    })
    expect(files).toHaveLength(count)
    // Links are followed no further than the project: what lies beside the package elsewhere does not count.
    const options = { jsx: 'react-jsx', preserveSymlinks: true }
    expect(await strange.typeErrors([program, ...files], options)).toBe('')
  })

  test('and the example for Vue compiles', () => {
    const [code = '', ...others] = examples('vue')
    const { descriptor, errors } = parse(code)
    expect([errors, others]).toEqual([[], []])
    const compilerOptions = { isCustomElement: (tag: string) => tag === 'nomenclator-picker' }
    const { content } = compileScript(descriptor, {
      id: 'x',
      inlineTemplate: true,
      templateOptions: { compilerOptions },
    })
    expect(content).toContain('"nomenclator-picker"')
  })
})
