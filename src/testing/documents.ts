import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A document of the repository: its path from the root, its text without blocks of code. */
export interface Document {
  readonly path: string;
  readonly prose: string;
}

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folders = ['.', 'bench', 'docs', 'docs/decisions', 'src/sending'];

/** Everything that people read beside the code. */
export function readDocuments(): Document[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => {
        const path = normalize(join(folder, name));
        return { path, prose: readFileSync(join(root, path), 'utf8').replace(/^ *```.*?^ *```/gms, '') };
      }),
  );
}

/** The links of a document to files that are not there, and to headings that another document does not have. */
export function deadLinks(document: Document, all: readonly Document[]): string[] {
  const links = [...document.prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = '', heading] = link.split('#');
    const path = file === '' ? document.path : normalize(join(dirname(document.path), file));
    if (!existsSync(join(root, path))) return true;
    return heading !== undefined && !headingsOf(all.find((one) => one.path === path)).includes(heading);
  });
}

/** The tests that a document names by their paths below src, and that are not there. */
export function missingTests({ prose }: Document): string[] {
  const tests = [...prose.matchAll(/`([\w./-]+\.test\.ts)`/g)].map((match) => match[1]!);
  return tests.filter((test) => !existsSync(join(root, 'src', test)));
}

/** As links name them: in lower case, without marks, with - for spaces. */
function headingsOf(document: Document | undefined): string[] {
  const headings = [...(document?.prose ?? '').matchAll(/^#+ (.*)$/gm)].map((match) => match[1]!);
  return headings.map((text) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}
