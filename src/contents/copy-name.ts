/** Maximum length of the name of a target or a sending configuration. */
const maxLength = 255;

/** The name of a copy, cut between characters to the maximum length. */
export function copyName(name: string): string {
  return [...`Copie de ${name}`].slice(0, maxLength).join('');
}
