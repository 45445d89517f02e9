/** Fields of subscribers: the system's own, by id, and what their numbers stand for. */
export const fields = {
  system: {
    0: 'Identifier',
    1: 'Email',
    2: 'First subscription',
    3: 'Last subscription',
    4: 'Unsubscribed on',
    5: 'First origin',
    6: 'Last origin',
    7: 'Status',
    8: 'Partner offers',
    10: 'Partner offers since',
    21: 'First collect mode',
    22: 'First collect type',
    37: 'Email domain',
    40: 'Postcode',
    41: 'Country',
    42: 'Department',
    43: 'Client number',
    44: 'Delivery',
    45: 'Delivery since',
  } as Readonly<Record<number, string>>,
  codes: {
    7: ['Subscribed', 'Unsubscribed'],
    8: ['Declined', 'Accepted'],
    44: ['Reachable', 'Soft bounces', 'Hard bounce', 'Complaint'],
  } as Readonly<Record<number, readonly string[]>>,
  types: { Text: 'Text', Integer: 'Whole number', Date: 'Date', List: 'List', Boolean: 'Yes or no' },
  sameName: (name: string, id: number) =>
    `A field is already called “${name}” (number ${id}). Lists show both under one name, and imports choose only ` +
    'one of them for a column with this name.',
  noSuchField: 'No field has this name, number or type.',
  yes: 'Yes',
  no: 'No',
};
