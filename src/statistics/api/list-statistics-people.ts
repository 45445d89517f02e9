import { providersByDomain } from '../../accounts/provider-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { invalid, notFound } from '../../platform/http/refusal.ts';
import { Count, Id, IdOf, Line, OneOf, Query, Type } from '../../platform/http/schema.ts';
import { PageOfPeople, Person, usualPeople } from '../../subscribers/person.ts';
import { textSearch } from '../../subscribers/search-store.ts';
import { isTrackedLink, peopleBehind, peopleFigures } from '../people.ts';
import { sendingStatistics } from '../sending-statistics-store.ts';

export const listStatisticsPeople = siteOperation({
  id: 'listStatisticsPeople',
  method: 'GET',
  path: '/statistics/people',
  right: 'read',
  tag: 'Statistics',
  summary: 'List the recipients behind a figure of a sending',
  description:
    'By id, a page at a time: the next page begins `after` the last id of this one. There are as many as the ' +
    'figure says. `nbRefused` are recipients that a relay rejected. `nbReturned` are those of the hard, soft, DNS ' +
    'and spam bounces whose message a relay had accepted before. `nbWaiting` are those without a final state, as ' +
    'getProviderStatistics counts them, and `nbUntried` those of them who were not deferred. Both shrink while the ' +
    'sending runs. A page of `nbAddressToSend`, `nbAddressSent` ' +
    'or `nbDelivered` reads the receipts of its people, and the bounces of the sending; one of `nbWaiting` or ' +
    '`nbUntried` reads some ranges of the audience that is left. Other pages read everything ' +
    'that the figure counts, and with `idFai` the whole audience as well.',
  query: Query({
    idSent: Id('sent'),
    figure: OneOf(
      peopleFigures,
      'The figure, as getSendingStatistics and listLinkStatistics name it, or nbRefused, nbReturned, nbWithReply, ' +
        'nbWaiting, nbUntried',
    ),
    idLink: Type.Optional(IdOf('trackedLink', Count('Only clickers of this tracked link; 0: of any'))),
    reply: Type.Optional(
      Line(40, 'Only recipients with this reply, as listServerReplies names it; nbWithReply requires it'),
    ),
    idFai: Type.Optional(
      Count('Only recipients of this mailbox provider, as getProviderStatistics names it; 0: of none'),
    ),
    ...PageOfPeople,
  }),
  reply: Type.Array(Person),
  refusals: [404],
  async handle({ app, db, query: { idSent, figure, idLink = 0, reply, idFai: id, ...page }, signal }) {
    if (idLink > 0 && figure !== 'nbClickers' && figure !== 'nbHumanClickers')
      throw invalid('idLink: only nbClickers and nbHumanClickers have one; give 0');
    if ((reply === undefined) === (figure === 'nbWithReply'))
      throw invalid('reply: nbWithReply requires it, and other figures have none');
    if (!(await sendingStatistics(db, idSent, undefined))) throw notFound('Sending');
    if (idLink > 0 && !(await isTrackedLink(db, idLink))) throw notFound('Tracked link', 'idLink');
    const provider = id === undefined ? undefined : { id, providers: await providersByDomain(app.control) };
    const { after = 0, limit: most = usualPeople } = page;
    const search = textSearch(db, page.search, signal);
    return peopleBehind(db, { idSent, figure, idLink, reply, provider, search, after, most });
  },
});
