import { accountsOperations, sessionOperations } from './accounts/operations.ts';
import { activityOperations } from './activity/operations.ts';
import { alertsAdministration, alertsOperations } from './alerts/operations.ts';
import { bouncesOperations } from './bounces/operations.ts';
import { campaignsOperations } from './campaigns/operations.ts';
import { contentsOperations } from './contents/operations.ts';
import { eventsOperations } from './events/operations.ts';
import { exportsOperations } from './exports/operations.ts';
import { fieldsOperations } from './fields/operations.ts';
import { filesOperations, repositoriesAdministration } from './files/operations.ts';
import { importsOperations } from './imports/operations.ts';
import { invoicesAdministration, invoicesOperations } from './invoices/operations.ts';
import { picturesOperations } from './pictures/operations.ts';
import type { Operation } from './platform/http/operation.ts';
import { sendingOperations } from './sending/operations.ts';
import { statisticsOperations } from './statistics/operations.ts';
import { subscribersOperations } from './subscribers/operations.ts';
import { targetsOperations } from './targets/operations.ts';

/** Every operation of the program: the routes, the reference and the access tests are made from this list. */
export const operations: readonly Operation[] = [
  ...fieldsOperations,
  ...subscribersOperations,
  ...activityOperations,
  ...importsOperations,
  ...exportsOperations,
  ...eventsOperations,
  ...filesOperations,
  ...targetsOperations,
  ...contentsOperations,
  ...picturesOperations,
  ...campaignsOperations,
  ...sendingOperations,
  ...statisticsOperations,
  ...alertsOperations,
  ...invoicesOperations,
  ...sessionOperations,
  ...accountsOperations,
  ...repositoriesAdministration,
  ...invoicesAdministration,
  ...alertsAdministration,
  ...bouncesOperations,
];
