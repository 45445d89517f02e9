import { Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { Confirm, Secret } from '../parts/dialogs.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { SearchedHere } from '../parts/searched-here.tsx';
import { Empty } from '../parts/states.tsx';
import { useMe, useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import { RelayForm, WebhookForm } from './relay-forms.tsx';
import { RelayTest } from './relay-test.tsx';
import { SettingsPage } from './settings-page.tsx';
import { useSectionSearch } from './use-section-search.ts';
import { useSettingsWords } from './words.ts';

export type Relay = components['schemas']['Route'];

/** What is open above the list, and for which relay. */
type Open =
  | { readonly form: 'relay'; readonly relay?: Relay }
  | { readonly form: 'test' | 'webhook' | 'delete' | 'delete-webhook'; readonly relay: Relay };

/** The SMTP relays of the site, in the order in which they are used. */
export function RelaysScreen() {
  const texts = useSettingsWords().relays;
  const site = useSite();
  const { isAdministrator } = useMe();
  const relays = useQuery({
    queryKey: ['routes', site.name],
    enabled: isAdministrator,
    queryFn: () =>
      dataOf(api.GET('/admin/v1/sites/{idsite}/routes', { params: { path: { idsite: site.name } } })),
  });
  const found = useSectionSearch('relays');
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <SettingsPage
      section="relays"
      query={relays}
      add={{ label: texts.add, run: () => setOpen({ form: 'relay' }) }}
    >
      {(all) => (
        <>
          <SearchedHere
            {...found}
            all={[...all].sort((a, b) => a.position - b.position || a.id - b.id)}
            textOf={(relay) => `${addressOf(relay)} ${relay.username ?? ''}`}
            searchLabel={texts.search}
            table={(shown) => (
              <RelayTable
                relays={shown}
                first={Math.min(...all.map(({ position }) => position))}
                open={setOpen}
              />
            )}
            empty={<Empty title={texts.empty} text={texts.emptyText} />}
          />
          {open?.form === 'relay' && <RelayForm relay={open.relay} close={close} />}
          {open?.form === 'test' && <RelayTest relay={open.relay} close={close} />}
          {open?.form === 'webhook' && <WebhookForm relay={open.relay} close={close} />}
          {open?.form === 'delete' && (
            <DeleteRelay relay={open.relay} isLast={all.length === 1} close={close} />
          )}
          {open?.form === 'delete-webhook' && <DeleteWebhook relay={open.relay} close={close} />}
        </>
      )}
    </SettingsPage>
  );
}

/** Host and port, as they are written together. */
const addressOf = ({ host, port }: Relay) => `${host}:${port}`;

function RelayTable({ relays, first, open }: RelayTableProps) {
  const { format } = useWords();
  const { columns, ...texts } = useSettingsWords().relays;
  const parts = usePartWords();
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{columns.address}</th>
          <th>{columns.used}</th>
          <th className="num">{columns.connections}</th>
          <th className="num">{columns.perHour}</th>
          <th className="acts">
            <span className="hidden">{parts.edit}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {relays.map((relay) => (
          <tr key={relay.id}>
            <td className="title anywhere">
              <bdi className="strong">{addressOf(relay)}</bdi>
              <p className="small text-3">
                {texts.tls[relay.tls]}
                {relay.username !== null && (
                  <>
                    {'. '}
                    {texts.user}: <bdi>{relay.username}</bdi>
                  </>
                )}
              </p>
              {relay.webhook && (
                <div style={{ marginTop: 6 }}>
                  <p className="small text-2">{texts.webhookOf(texts.providers[relay.webhook.provider])}</p>
                  <Secret secret={relay.webhook.address} what={texts.webhookAddress} />
                </div>
              )}
            </td>
            <td className="text-2">{texts.position(relay.position, first)}</td>
            <td className="num" data-label={columns.connections}>
              {format.count(relay.maxConnections)}
            </td>
            <td className="num" data-label={columns.perHour}>
              {relay.messagesPerHour === 0 ? texts.noLimit : format.count(relay.messagesPerHour)}
            </td>
            <td className="acts">
              <RowMenu name={addressOf(relay)}>
                <Menu.Item onClick={() => open({ form: 'relay', relay })}>{parts.edit}</Menu.Item>
                <Menu.Item onClick={() => open({ form: 'test', relay })}>{texts.test}</Menu.Item>
                <Menu.Item onClick={() => open({ form: 'webhook', relay })}>
                  {relay.webhook ? texts.changeWebhook : texts.addWebhook}
                </Menu.Item>
                {relay.webhook && (
                  <Menu.Item onClick={() => open({ form: 'delete-webhook', relay })}>
                    {texts.removeWebhook}
                  </Menu.Item>
                )}
                <Menu.Item onClick={() => open({ form: 'delete', relay })}>{texts.remove}</Menu.Item>
              </RowMenu>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
interface RelayTableProps {
  readonly relays: readonly Relay[];
  /** The position of the relay that is used first. */
  readonly first: number;
  readonly open: (open: Open) => void;
}

function DeleteRelay({ relay, isLast, close }: DeleteProps & { readonly isLast: boolean }) {
  const texts = useSettingsWords().relays;
  const site = useSite();
  const queries = useQueryClient();
  return (
    <Confirm
      title={texts.removeTitle(addressOf(relay))}
      text={isLast ? texts.removeLastText : texts.removeText}
      action={texts.remove}
      close={close}
      confirm={async () => {
        const path = { idsite: site.name, idRoute: relay.id };
        await dataOf(api.DELETE('/admin/v1/sites/{idsite}/routes/{idRoute}', { params: { path } }));
        await queries.invalidateQueries({ queryKey: ['routes', site.name] });
        toast({ text: texts.removed(addressOf(relay)) });
      }}
    />
  );
}
interface DeleteProps {
  readonly relay: Relay;
  readonly close: () => void;
}

function DeleteWebhook({ relay, close }: DeleteProps) {
  const texts = useSettingsWords().relays;
  const site = useSite();
  const queries = useQueryClient();
  return (
    <Confirm
      title={texts.removeWebhookTitle(addressOf(relay))}
      text={texts.removeWebhookText}
      action={texts.removeWebhook}
      close={close}
      confirm={async () => {
        const path = { idsite: site.name, idRoute: relay.id };
        await dataOf(api.DELETE('/admin/v1/sites/{idsite}/routes/{idRoute}/webhook', { params: { path } }));
        await queries.invalidateQueries({ queryKey: ['routes', site.name] });
      }}
    />
  );
}
