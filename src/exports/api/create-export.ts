import { listFields } from '../../fields/field-store.ts';
import { embeddedRepository } from '../../files/repository.ts';
import { defaultRepository, listRepositories } from '../../files/repository-store.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { invalid, notFound } from '../../platform/http/refusal.ts';
import { getTargetOrRefuse } from '../../targets/target-store.ts';
import { ExportRequest } from '../export.ts';
import { type ExportSettings, exportSettings } from '../export-settings.ts';
import { insertExport } from '../export-store.ts';
import { addRun } from '../tasks/run-export.ts';

export const createExport = siteAction({
  id: 'createExport',
  method: 'POST',
  path: '/exports',
  right: 'write',
  tag: 'Exports',
  summary: 'Export subscribers to a file',
  description:
    'Writes the file as soon as a worker is free. It has the names of the fields, then a line for each subscriber ' +
    'that the target selects then. getLastExportState returns the progress, and an email reports the ' +
    'end. A site can have ten exports running. An existing file of the same name is replaced. Values are written ' +
    'unchanged. Use `escapeFormulas` for a file that people open in a spreadsheet, which reads values that begin ' +
    'with = as formulas. With `encoding` None nothing is hashed: the column `hash` then has fields of ' +
    '`idsEncodeFields`, even addresses, in clear.',
  body: ExportRequest,
  example: {
    idTarget: 1,
    idsFields: ['1', '3', '101'],
    idsEncodeFields: ['1'],
    encoding: 'SHA2_256',
    typeList: 'VALUE',
    filename: 'people.csv',
    compress: 'GZip',
    codePage: 65001,
  },
  refusals: [404],
  async handle({ db, body, caller, now }) {
    const settings = exportSettings(body);
    await db.transaction(async (tx) => {
      await checkReferences(tx, settings);
      const idRepository = await repositoryOf(tx, body.idRepository);
      const { idUser } = caller;
      const idExport = await insertExport(tx, { idUser, request: body, idRepository, at: now });
      await addRun(tx, idExport);
    });
  },
});

/** @throws 404 for an unknown target, 400 for an unknown field. */
async function checkReferences(tx: SiteDb, settings: ExportSettings): Promise<void> {
  await getTargetOrRefuse(tx, settings.idTarget);
  const known = new Set((await listFields(tx)).map((field) => field.id));
  for (const member of ['idsFields', 'idsEncodeFields'] as const) {
    const unknown = settings[member].find((id) => !known.has(id));
    if (unknown !== undefined) throw invalid(`${member}: there is no field fld${unknown}`);
  }
}

/** The repository requested, or the site's default as it is now. @throws 404 for an unknown one. */
async function repositoryOf(tx: SiteDb, asked: number | null | undefined): Promise<number> {
  if (asked === null || asked === undefined) return defaultRepository(tx);
  if (asked === embeddedRepository) return asked;
  if (!(await listRepositories(tx)).some((one) => one.id === asked))
    throw notFound('Repository', 'idRepository');
  return asked;
}
