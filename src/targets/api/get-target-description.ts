import { languages } from '../../fields/period.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Id, OneOf, Params, Query, Type } from '../../platform/http/schema.ts';
import { describedFiles } from '../current-files.ts';
import { describeTarget } from '../description.ts';
import { readSiteForUse } from '../filter-site.ts';
import { getDefinition, targetNames } from '../target-store.ts';

export const getTargetDescription = siteOperation({
  id: 'getTargetDescription',
  method: 'GET',
  path: '/targets/{idTarget}/description',
  right: 'read',
  tag: 'Targets',
  summary: 'Get a description of a target',
  description:
    'In French or English, with HTML tags; users’ texts are escaped. Warns of a filter’s file that does not exist or ' +
    'cannot be read, and of postcodes that are no longer known.',
  params: Params({ idTarget: Id('target') }),
  query: Query({ language: Type.Optional(OneOf(languages, 'Default: fr')) }),
  reply: Type.String({ title: 'String' }),
  async handle({ app, db, params: { idTarget }, query: { language = 'fr' }, now }) {
    const target = await getDefinition(db, idTarget);
    const names = await targetNames(db, target.parameters.excludedTargets);
    const site = await readSiteForUse(app, db, now, target.filters, describedFiles);
    return describeTarget(target, names, site, language);
  },
});
