import { ActionIcon, Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type Field, fieldName } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import { type Extra, takesFixed } from './mapping.ts';

interface ExtraFieldsProps {
  readonly fields: readonly Field[];
  readonly extras: readonly Extra[];
  readonly change: (extras: readonly Extra[]) => void;
}

/** Fields that no column fills: one value for all people, or the time of the import. */
export function ExtraFields({ fields, extras, change }: ExtraFieldsProps) {
  const { words } = useWords();
  const texts = words.imports.extra;
  const set = (at: number, next: Partial<Extra>) => change(extras.with(at, { ...extras[at]!, ...next }));
  return (
    <div className="card-body stack extras">
      {extras.map(({ idField, value, isTime }, at) => {
        const field = fields.find(({ id }) => id === idField);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: its controls hold no state of their own
          <div key={at} className="extra">
            <NativeSelect
              aria-label={texts.field}
              value={idField === undefined ? '' : String(idField)}
              onChange={(event) => {
                const id = Number(event.currentTarget.value);
                const isDate = fields.some((one) => one.id === id && one.fieldType === 'Date');
                set(at, { idField: id, isTime: isTime && isDate });
              }}
            >
              {idField === undefined && <option value="">{texts.choose}</option>}
              {fields.filter(takesFixed).map((one) => (
                <option key={one.id} value={one.id}>
                  {fieldName(words, one)}
                </option>
              ))}
            </NativeSelect>
            {!isTime && (
              <TextInput
                aria-label={texts.value}
                placeholder={texts.value}
                maxLength={10_000}
                value={value}
                onChange={(event) => set(at, { value: event.currentTarget.value })}
              />
            )}
            {field?.fieldType === 'Date' && (
              <Switch
                label={texts.time}
                checked={isTime}
                onChange={(event) => set(at, { isTime: event.currentTarget.checked })}
              />
            )}
            <ActionIcon
              aria-label={texts.remove}
              title={texts.remove}
              onClick={() => change(extras.filter((_, index) => index !== at))}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </div>
        );
      })}
      <div>
        <Button
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => change([...extras, { value: '', isTime: false }])}
        >
          {texts.add}
        </Button>
      </div>
    </div>
  );
}
