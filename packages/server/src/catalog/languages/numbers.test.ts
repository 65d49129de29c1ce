// Numbers in names: the same in digits, words and Roman numerals, and what only looks like one.
import { expect, test } from 'bun:test'
import { wordsOf } from '../words.ts'
import { spanish } from './spanish.ts'

test.each([
  ['Cinco de Febrero', '5 de febrero'],
  ['05 de Febrero', '5 de febrero'],
  ['Treinta y uno de Mayo', '31 de mayo'],
  ['Campo Ochenta y 8', 'campo 88'],
  ['Parcela No. 30 y Cinco', 'parcela 35'],
  ['Lotes 20 y 5', 'lotes 20 y 5'],
  ['San Pedro II', 'san pedro 2'],
  ['San Pedro Dos', 'san pedro 2'],
  ['Carlos V', 'carlos 5'],
  ['2da. Sección', '2 seccion'],
  ['Segunda Sección', '2 seccion'],
  ['Casa 2 da Vinci', 'casa 2 da vinci'],
  ['Poblado C-09', 'poblado c 9'],
  ['Poblado C09', 'poblado c 9'],
  ['Zapote 2 da. Sección', 'zapote 2 seccion'],
  ['1era. Sección', '1 seccion'],
  ['Sección Segunda', '2 seccion'],
  ['Zapote Sección 2', 'zapote 2 seccion'],
  ['Ejido V Sección', 'ejido 5 seccion'],
  ['Zapote Secc. I B', 'zapote 1 secc b'],
  ['Número Tres', '3'],
  ['No. 3', '3'],
  ['Francisco I. Madero', 'francisco i madero'],
  ['No hay paso', 'no hay paso'],
  ['12abc', '12abc'],
])('%s: %s', (text, words) => expect(spanish.withDigits(wordsOf(text)).join(' ')).toBe(words))
