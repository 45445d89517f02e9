import { api, dataOf } from '../api/client.ts';
import { addPeople } from '../overview/add-people.ts';
import { mayBeWrittenTo } from '../overview/everyone.ts';
import { fieldIds } from '../subscribers/fields.ts';
import { fieldValue, type Subscriber } from '../subscribers/subscriber.ts';
import { createTarget } from '../targets/create-target.ts';

/** Number of people read of a target: more than a test mailing accepts, so that one with too many is rejected. */
const mostRead = 1000;

/** Whether a message may go to a subscriber: subscribed, and with a mailbox that exists and did not complain. */
export const mayReceive = (subscriber: Subscriber): boolean =>
  fieldValue(subscriber, fieldIds.status) === 0 && Number(fieldValue(subscriber, fieldIds.delivery)) <= 1;

/** People of a test target who get the message, by address. */
export const testersQuery = (idsite: string, idTarget: number) => ({
  queryKey: ['targets', idsite, idTarget, 'testers'],
  queryFn: async () => {
    const query = { property: `fld${fieldIds.email}`, direction: 'ASC', start: 0, page: 1, limit: mostRead };
    const found = await dataOf(
      api.GET('/v1/{idsite}/targets/{idTarget}/subscribers', {
        params: { path: { idsite, idTarget }, query },
      }),
    );
    return found.filter(mayReceive);
  },
});

/** Typed addresses that are not plain testers yet. */
export interface TypedTesters {
  /** No subscriber has the address. */
  readonly unknown: readonly string[];
  /** The subscriber may not be written to. */
  readonly unreachable: readonly string[];
}

/** Looks typed addresses up among the subscribers. */
export async function findTesters(idsite: string, addresses: readonly string[]): Promise<TypedTesters> {
  const found = await dataOf(
    api.GET('/v1/{idsite}/subscribers', {
      params: { path: { idsite }, query: { 'filter.by': 'Email', 'filter.values': [...addresses] } },
    }),
  );
  return {
    unknown: addresses.filter((_, index) => !found[index]),
    unreachable: addresses.filter((_, index) => {
      const subscriber = found[index];
      return subscriber && !mayReceive(subscriber);
    }),
  };
}

/** A test target to be created from addresses. */
export interface NewTestTarget {
  readonly name: string;
  readonly addresses: readonly string[];
  /** Addresses to add as subscribers first. */
  readonly unknown: readonly string[];
  /** Where the added people come from. */
  readonly origin: string;
}

/** Adds the unknown people, and creates a test target of all the addresses. Returns its id. */
export async function createTestTarget(idsite: string, wanted: NewTestTarget): Promise<number> {
  if (wanted.unknown.length > 0) await addPeople(idsite, wanted.unknown, wanted.origin);
  const filters = [
    { idField: fieldIds.email, operator: 'In' as const, value: wanted.addresses.join(';') },
    ...mayBeWrittenTo,
  ];
  return createTarget(idsite, wanted.name, { isTestTarget: true, filters: { field: { filters } } });
}
