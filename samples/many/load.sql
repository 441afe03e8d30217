-- Reads the output of `apnscope -T ndjson` from standard input: a row for each record, with its object as JSON.
create table records (record text);
.mode tabs
.import /dev/stdin records
.mode list
.separator "  "

-- The fields of notifications of all commands. Those of command 2 are in items. Streams 2n and 2n + 1 are the two
-- directions of connection n.
create view notifications as
with fields as (
  select record, json_group_object(key, value) as fields
  from (
    select records.rowid as row, record, member.key, member.value from records, json_each(record) member
    union all
    select records.rowid, record, member.key, member.value
    from records, json_each(record, '$.items') item, json_each(item.value) member
  )
  where key in ('token', 'payload', 'identifier') group by row
)
select
  record ->> 'file' as file, (record ->> 'stream') / 2 as connection, record ->> 'from' as sender,
  record ->> 'time' as time, fields ->> 'token' as token, fields ->> 'payload' as payload,
  length(cast(fields ->> 'payload' as blob)) as size, fields ->> 'identifier' as identifier
from fields
where record ->> 'type' like '%notification';

create view findings as
select record ->> 'file' as file, value ->> 'rule' as rule, value ->> 'severity' as severity, value ->> 'message' as message
from records, json_each(record, '$.findings');

create view responses as
select
  record ->> 'file' as file, (record ->> 'stream') / 2 as connection, record ->> 'to' as sender, record ->> 'time' as time,
  record ->> 'status' as status, record ->> 'identifier' as identifier
from records
where record ->> 'type' = 'error-response';
