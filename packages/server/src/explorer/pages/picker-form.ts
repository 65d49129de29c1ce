// A whole form with the picker, as a file to keep, open and change: it shows what it would send.
import { html } from '../../http/html.ts'
import { PICKER_SCRIPT } from '../picker-files.ts'
import type { DownloadLink, View } from '../view.ts'
import { examplesIn } from './picker.ts'

export function pickerForm(view: View): DownloadLink {
  const { words, language, baseUrl } = view
  const form = words.pickers.form
  return {
    fileName: form.fileName,
    html: html`<!doctype html>
<html lang="${language.code}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${form.title}</title>
<script src="${baseUrl}${PICKER_SCRIPT}" defer></script>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
form { display: grid; gap: 1rem; }
fieldset { margin: 0; min-width: 0; }
label input { display: block; box-sizing: border-box; width: 100%; min-height: 2.5em; font: inherit; }
button { font: inherit; padding: 0.5em 1.5em; justify-self: start; }
th { text-align: start; padding-inline-end: 1.5rem; }
</style>
</head>
<body>
<main>
<h1>${form.title}</h1>
<!-- ${form.action} -->
<form method="post">
<label>${form.person} <input name="${form.personField}" autocomplete="name" required></label>
${examplesIn(view).map(
  ({ name, levels, label }, at) => html`<fieldset>
<legend>${label}</legend>
<nomenclator-picker levels="${levels.join()}" name="${name}" submit="code"${at === 0 && html` required`}></nomenclator-picker>
</fieldset>
`,
)}<button>${words.pickers.send}</button>
</form>
<div role="status"></div>
<script>
// ${form.script}
const form = document.querySelector('form')
form.addEventListener('submit', (event) => {
  event.preventDefault()
  const table = document.createElement('table')
  for (const [name, value] of new FormData(form)) {
    const row = table.insertRow()
    const header = document.createElement('th')
    header.scope = 'row'
    header.textContent = name
    row.append(header)
    row.insertCell().textContent = value
  }
  document.querySelector('[role=status]').replaceChildren(table)
})
</script>
</main>
</body>
</html>
`,
  }
}
