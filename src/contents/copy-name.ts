/** Characters that the name of a target or a sending configuration may have. */
const maxLength = 255;

/** The name of a copy, cut between characters to what a name may hold. */
export function copyName(name: string): string {
  return [...`Copie de ${name}`].slice(0, maxLength).join('');
}
