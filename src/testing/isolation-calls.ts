import type { Operation } from '../platform/http/operation.ts';
import {
  type Call,
  hasPlace,
  type Place,
  type RecordPlace,
  recordPlaces,
  type SchemaNode,
  withValue,
} from './id-places.ts';
import { onePixel } from './make-picture.ts';
import { type Ids, ownFile } from './own-records.ts';

/** The least that a schema requires. */
function least(node: SchemaNode): unknown {
  if (node.default !== undefined) return node.default;
  if (node.const !== undefined) return node.const;
  if (node.enum) return node.enum[0];
  if (node.anyOf) return least(node.anyOf.find(({ type }) => type !== 'null')!);
  switch (node.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(node.properties ?? {}).flatMap(([name, one]) =>
          node.required?.includes(name) ? [[name, least(one)]] : [],
        ),
      );
    case 'array':
      return [least(node.items ?? {})];
    case 'string':
      return node.format === 'date-time' ? '2030-01-01T00:00:00Z' : 'Own';
    case 'boolean':
      return true;
    default:
      return Math.max(node.minimum ?? 1, 1);
  }
}

/** The file that own-records.ts writes, and a date after those of the tests' clock. */
const ownList = { filename: ownFile, fileAutomaticDeletionDate: '2030-01-01T00:00:00Z' };
const picture = { name: 'Own', fileName: 'own.png', base64Content: onePixel.toString('base64') };

/** Parts of calls where the schema alone does not say what the handler accepts; the rest is as for any operation. */
const special: Readonly<Record<string, (own: Ids, place: Place) => Call>> = {
  addPictureFromHtmlBuilder: () => ({ body: picture }),
  createPictureDirectory: () => ({ body: { name: 'Own', dirType: 'Unknown' } }),
  countUnsavedTarget: unsaved,
  createTargetWithFilters: (...of) => ({ body: { name: 'Own', ...(unsaved(...of).body as object) } }),
  listUnsavedTargetPeople: unsaved,
  createSubscribers: ({ subscriber, field }) => ({
    body: [{ id: subscriber, fields: [{ idField: field, value: 'a' }] }],
  }),
  deleteSubscribers: ({ subscriber }, place) =>
    place.startsWith('query') ? { body: undefined } : { body: [subscriber] },
  exportStatistics: () => ({
    query: { ...{ idJob: 0, idCampaign: 0, idSent: 0, idLink: 0, idPub: 0 }, statType: 3 },
  }),
  getArchivedSubscribers: lookup,
  getLastChange: ({ campaign }, place) =>
    place === 'query.segmentPosition' ? { query: { idCampaign: campaign } } : {},
  getSubscribers: lookup,
  getTargetSubscribers: () => ({
    query: { property: 'fld1', direction: 'ASC', start: 0, page: 1, limit: 10 },
  }),
  listAdvertisementStatistics: scope,
  listLinkStatistics: scope,
  listStatisticsOverTime: scope,
  listStatisticsPeople: ({ sent }, place) => ({
    query: { idSent: sent, figure: place === 'query.idLink' ? 'nbClickers' : 'nbOpeners' },
  }),
  previewImport: () => ({ body: { idRepository: 0, filename: ownFile } }),
  searchSubscribers: ({ field }) => ({ query: { search: 'a', 'filter.idFields': [field] } }),
  sendCampaignNow: ({ campaign, job }) => ({ body: campaign, query: { afterJob: job } }),
  setBehaviourFilter: ({ target, sent }, place) => ({
    body: {
      ...{ idTarget: target, action: 'Open' },
      ...(place === 'body.idCampaign'
        ? { behaviourType: 'Campaign' }
        : { behaviourType: 'Sent', idSentList: String(sent) }),
    },
  }),
  setFileFilter: ({ target }) => ({ body: { idTarget: target, dbFieldName: 'fld1', ...ownList } }),
  setSendingFilter: ({ target, sent }, place) => ({
    body: {
      ...{ idTarget: target, isFilterEnabled: true, hasReceived: true },
      ...(place === 'body.idTarget' && { idSentList: String(sent) }),
    },
  }),
  trackLink: () => ({ body: { url: 'https://own.example/', parameters: {} } }),
  unsubscribe({ subscriber, field }, place) {
    const fields = { idSubscriptionField: field + 3, idUnsubDateField: field + 2 };
    const one = { idSubscriber: subscriber, from: 'SpecificNewsletter', ...fields };
    return place.endsWith('Field') ? { body: [one] } : {};
  },
  updatePictureDirectory: ({ directory, directoryName }) => ({
    body: { id: directory, name: `New ${directoryName}` },
  }),
};

/** An unsaved target with the filter that has the place, and what it requires. */
function unsaved({ sent }: Ids, place: Place): Call {
  const [, , named = place === '' ? 'sending' : 'field'] = place.split('.');
  const acts = { action: 'Open', behaviourType: place.endsWith('idCampaign') ? 'Campaign' : 'Sent' };
  const field = { filters: [{ idField: 7, operator: 'Equal', value: '0' }] };
  const sending = { hasReceived: true, ...(place === '' && { idSentList: String(sent) }) };
  const parts = { behaviour: acts, thematic: { fromNbDays: 30, action: 'Open' }, sending, field };
  const kind = named in parts ? (named as keyof typeof parts) : 'field';
  return { body: { filters: { [kind]: parts[kind] } } };
}

function scope({ campaign, job, sent }: Ids): Call {
  return { query: { idCampaign: campaign, idJob: job, idSent: sent } };
}

function lookup({ subscriber, field }: Ids): Call {
  const by = { 'filter.by': 'IdSubscriber', 'filter.emailEncoding': 'None' };
  return { query: { ...by, 'filter.values': [subscriber], 'filter.idFields': [field] } };
}

/**
 * A call of an operation on the records given: the least that its schemas require, or its example, with the ids of the
 * records wherever it names one.
 * @param place where another value is put then
 */
export function callOf(operation: Operation, own: Ids, place: Place = ''): Call {
  const { params, query, body, example } = operation;
  const call: Call = {
    ...(params && { params: least(params as SchemaNode) as Call['params'] }),
    ...(query && { query: least(query as SchemaNode) as Call['query'] }),
    ...(body && { body: example ?? least(body as SchemaNode) }),
  };
  const filled = recordPlaces(operation).reduce(
    (before, one) => (hasPlace(before, one.place) ? withValue(before, one.place, valueAt(one, own)) : before),
    call,
  );
  return { ...filled, ...special[operation.id]?.(own, place) };
}

/** An id as a place takes it; a field's as text is the name of its column, which messages quote. */
export function valueAt({ record, isText }: RecordPlace, ids: Ids): number | string {
  const id = ids[record as keyof Ids];
  if (!isText) return id;
  return record === 'field' ? `fld${id}` : String(id);
}
