// Texts from outside as a terminal or a log may have them.

/** What a terminal would obey, or what turns the direction of the text after it; line ends and tabs are not among it. */
const OBEYED = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** The text with its control characters and marks of direction as escapes, which mean the same where they stand in a string of JSON. */
export const visibleText = (text: string): string =>
  text.replace(OBEYED, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
