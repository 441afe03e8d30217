#!/bin/sh
# Make the samples of this folder again, each with the tool that it is named after. Needs root, Linux, and on Debian 12:
#
#   apt-get install tcpdump tshark stunnel4 haproxy nginx-light libnginx-mod-stream sslsplit mitmproxy ssldump socat \
#     openssl python3
#
# Everything runs in a network and process namespace of its own: its loopback is nobody else's, and what it started ends
# with it. Keys and certificates live in a temporary folder. Times, ports and sequence numbers differ from run to run;
# what is said does not.
#
#   make.sh [NAME...]    all, or only the steps named
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${SAMPLES_INSIDE-}" ]; then
  exec env SAMPLES_INSIDE=1 unshare --net --pid --fork --kill-child --mount-proc sh "$here/make.sh" "$@"
fi
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here"
ip link set lo up

# What all steps use

openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=gateway.example" \
  -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=Authority of the samples" \
  -addext basicConstraints=critical,CA:TRUE -keyout "$work/ca.key" -out "$work/ca.pem" 2>/dev/null
cat "$work/cert.pem" "$work/key.pem" > "$work/both.pem"

session() { python3 session.py "$@"; }

# wait_port PORT: until something listens there.
wait_port() {
  for _ in $(seq 200); do
    ss -Hltn "sport = :$1" | grep -q . && return
    sleep 0.05
  done
  echo "nothing listens on port $1" >&2
  exit 1
}

# record FILE OPTIONS...: tcpdump in the background, until `stop`.
record() {
  file=$1
  shift
  : > "$work/tcpdump.log"
  tcpdump -U --immediate-mode -Z root -w "$file" "$@" 2> "$work/tcpdump.log" &
  recorder=$!
  until grep -q "listening on" "$work/tcpdump.log"; do
    kill -0 $recorder || { cat "$work/tcpdump.log" >&2; exit 1; }
    sleep 0.05
  done
}
stop() { sleep 0.5; kill -INT $recorder; wait $recorder || true; }

# talk GATEWAY_PORT PROVIDER_PORT [OPTIONS OF THE PROVIDER]: one session.
talk() {
  gateway_port=$1 provider_port=$2
  shift 2
  session gateway $gateway_options "$gateway_port" &
  gateway=$!
  wait_port "$gateway_port"
  session provider "$@" "$provider_port"
  wait $gateway
}
gateway_options=

# start COMMAND...: a tool in the background; `finish` ends it.
start() { "$@" > "$work/tool.log" 2>&1 & tool=$!; }
finish() { kill -TERM $tool; wait $tool 2>/dev/null || true; }

# tls_tshark FILE ...: tshark with the keys; TLS on port 20195 is decoded as data, or else nothing comes out.
tls_tshark() { tshark -o "tls.keylog_file:tls-stunnel.keys" -d tls.port==20195,data "$@"; }

# The steps

step_stunnel() {
  cat > "$work/stunnel.conf" <<END
foreground = yes
pid =
debug = warning
[push]
accept = 127.0.0.1:20195
connect = 127.0.0.1:2195
cert = $work/cert.pem
key = $work/key.pem
END
  rm -f tls-stunnel.keys
  start stunnel4 "$work/stunnel.conf"
  wait_port 20195
  record "$work/both.pcap" -i lo "tcp port 2195 or tcp port 20195"
  talk 2195 20195 --tls --keys tls-stunnel.keys
  stop
  finish
  tcpdump -Z root -r "$work/both.pcap" -w stunnel.pcap "tcp port 2195" 2>/dev/null
  tcpdump -Z root -r "$work/both.pcap" -w tls-stunnel.pcap "tcp port 20195" 2>/dev/null
}

through_haproxy() { # FILE SERVER_OPTIONS
  cat > "$work/haproxy.cfg" <<END
global
  log stderr local0
defaults
  mode tcp
  timeout connect 5s
  timeout client 10s
  timeout server 10s
listen push
  bind 127.0.0.1:20196 ssl crt $work/both.pem
  server gateway 127.0.0.1:2195 $2
END
  start haproxy -db -f "$work/haproxy.cfg"
  wait_port 20196
  record "$1" -i lo "tcp port 2195"
  talk 2195 20196 --tls
  stop
  finish
}
step_haproxy() { through_haproxy haproxy.pcap ""; }
step_haproxy_proxy_v2() { through_haproxy haproxy-proxy-v2.pcap send-proxy-v2; }

through_nginx() { # FILE DIRECTIVES
  cat > "$work/nginx.conf" <<END
load_module /usr/lib/nginx/modules/ngx_stream_module.so;
daemon off;
user root;
pid $work/nginx.pid;
error_log stderr;
events {}
stream {
  server {
    listen 127.0.0.1:20197 ssl;
    ssl_certificate $work/cert.pem;
    ssl_certificate_key $work/key.pem;
    proxy_pass 127.0.0.1:12195;
    $2
  }
}
END
  start nginx -c "$work/nginx.conf"
  wait_port 20197
  record "$1" -i lo "tcp port 12195"
  talk 12195 20197 --tls
  stop
  finish
}
step_nginx() { through_nginx nginx-stream.pcap ""; }
step_nginx_proxy_v1() { through_nginx nginx-proxy-v1.pcap "proxy_protocol on;"; }

step_socat() {
  start socat OPENSSL-LISTEN:20198,bind=127.0.0.1,reuseaddr,cert="$work/both.pem",verify=0 \
    TCP:127.0.0.1:2195
  wait_port 20198
  record socat.pcap -i lo "tcp port 2195"
  talk 2195 20198 --tls
  stop
  kill -TERM $tool 2>/dev/null || true
}

step_any() {
  record any-sll2.pcap -i any "tcp port 2195"
  talk 2195 2195
  stop
  record any-sll.pcap -i any -y LINUX_SLL "tcp port 2195"
  talk 2195 2195
  stop
}

step_dumpcap() {
  dumpcap -q -i lo -f "tcp port 2195" -w "$work/dumpcap.pcapng" 2> "$work/tool.log" &
  tool=$!
  until grep -q "^File:" "$work/tool.log"; do sleep 0.05; done
  sleep 0.3
  talk 2195 2195
  sleep 0.5
  kill -INT $tool
  wait $tool || true
  cp "$work/dumpcap.pcapng" dumpcap.pcapng
}

# A router between two hosts sees each packet come in and go out.
step_router() {
  for side in a b; do
    unshare --net sleep 30 &
    eval "$side=$!"
    sleep 0.2
    eval pid=\$$side
    ip link add "v$side" type veth peer name eth0 netns "$pid"
    [ $side = a ] && net=10.0.1 || net=10.0.2
    ip addr add $net.1/24 dev "v$side"
    ip link set "v$side" up
    nsenter -t "$pid" -n sh -c "ip addr add $net.2/24 dev eth0; ip link set eth0 up; ip route add default via $net.1"
  done
  echo 1 > /proc/sys/net/ipv4/ip_forward
  record any-router.pcap -i any "tcp port 2195"
  nsenter -t "$b" -n python3 session.py gateway --host 10.0.2.2 2195 &
  gateway=$!
  sleep 0.5
  nsenter -t "$a" -n python3 session.py provider --host 10.0.2.2 2195
  wait $gateway
  stop
  kill "$a" "$b"
}

step_snap() {
  record snap200.pcap -i lo -s 200 "tcp port 2195"
  talk 2195 2195
  stop
  editcap -F pcap -s 96 stunnel.pcap snap96.pcap
}

step_rotated() {
  rm -f rotated-*
  # tcpdump rotates by size in steps of a million bytes only (-C 1), so it rotates by time here.
  record "$work/rotated-%s.pcap" -i lo -G 1 "tcp port 2195"
  talk 2195 2195 --pause 1.3
  stop
  count=0
  for file in "$work"/rotated-*.pcap; do
    mv "$file" rotated-tcpdump-$count.pcap
    count=$((count + 1))
  done
  editcap -F pcap -c 6 stunnel.pcap "$work/split.pcap"
  count=0
  for file in "$work"/split_*.pcap; do
    mv "$file" rotated-editcap-$count.pcap
    count=$((count + 1))
  done
}

step_secrets() { editcap --inject-secrets tls,tls-stunnel.keys tls-stunnel.pcap tls-secrets.pcapng; }

step_export_pdus() {
  tls_tshark -r tls-stunnel.pcap -U "OSI layer 7" -w export-layer7.pcapng
  tshark -o "tls.keylog_file:tls-stunnel.keys" -d tls.port==20195,http -r tls-stunnel.pcap -U "OSI layer 7" \
    -w export-layer7-http.pcapng
  tshark -o "tls.keylog_file:tls-stunnel.keys" -r tls-stunnel.pcap -U "OSI layer 7" -w export-layer7-none.pcapng
  tls_tshark -r tls-stunnel.pcap -U "OSI layer 4" -w tls-export-layer4.pcapng
  tshark -r stunnel.pcap -U "OSI layer 4" -w export-layer4-plain.pcapng
}

step_sslsplit() {
  # It resolves no address, not even 127.0.0.1, where loopback is the only interface (AI_ADDRCONFIG).
  ip link add spare0 type veth peer name spare1
  ip addr add 192.0.2.1/24 dev spare0
  # The gateway speaks TLS itself here; sslsplit ends it and begins it anew.
  gateway_options="--tls $work/cert.pem $work/key.pem"
  rm -f sslsplit.pcap
  start sslsplit -D -u root -k "$work/ca.key" -c "$work/ca.pem" -X "$work/sslsplit.pcap" \
    ssl 127.0.0.1 20199 127.0.0.1 2195
  wait_port 20199
  talk 2195 20199 --tls
  sleep 0.5
  finish
  gateway_options=
  cp "$work/sslsplit.pcap" sslsplit.pcap
}

step_mitmproxy() {
  gateway_options="--tls $work/cert.pem $work/key.pem"
  rm -f "$work/mitm.keys"
  start env HOME="$work" MITMPROXY_SSLKEYLOGFILE="$work/mitm.keys" \
    mitmdump --set confdir="$work/mitm" --listen-host 127.0.0.1 --listen-port 20200 \
    --mode reverse:https://127.0.0.1:2195 --ssl-insecure --tcp-hosts '.*' --set connection_strategy=lazy \
    -w "$work/mitm.flows"
  wait_port 20200
  record "$work/mitm.pcap" -i lo "tcp port 20200 or tcp port 2195"
  talk 2195 20200 --tls
  stop
  finish
  gateway_options=
  tcpdump -Z root -r "$work/mitm.pcap" -w "$work/mitm-provider.pcap" "tcp port 20200" 2>/dev/null
  editcap --inject-secrets tls,"$work/mitm.keys" "$work/mitm-provider.pcap" tls-mitmproxy.pcapng
  tshark -r tls-mitmproxy.pcapng -d tls.port==20200,data -U "OSI layer 7" -w mitmproxy-export.pcapng
  tshark -o "tls.keylog_file:$work/mitm.keys" -r "$work/mitm.pcap" -d tls.port==20200,data -d tls.port==2195,data \
    -U "OSI layer 7" -w mitmproxy-export-both.pcapng
}

step_ssldump() {
  # RSA key exchange and a CBC cipher of TLS 1.2: what ssldump can decrypt with the key of the server.
  gateway_options="--tls $work/cert.pem $work/key.pem"
  rm -f tls-rsa.keys
  record tls-rsa.pcap -i lo "tcp port 20201"
  talk 20201 20201 --tls --cipher AES128-SHA --keys tls-rsa.keys
  stop
  gateway_options=
  ssldump -n -r tls-rsa.pcap -k "$work/key.pem" -d -w ssldump.pcap > /dev/null
  ssldump -n -r tls-rsa.pcap -k "$work/key.pem" -d > ssldump.txt
}

step_text2pcap() {
  session dump provider | text2pcap -q -F pcap -T 40000,2195 - text2pcap-tcp.pcap
  # I keeps the ports in the order given, O turns them round.
  session dump both | text2pcap -q -D -T 40000,2195 - text2pcap-directions.pcapng
  session dump both | text2pcap -q -F pcap -D -T 40000,2195 - text2pcap-directions.pcap
  session dump both | tr IO OI | text2pcap -q -D -T 40000,2195 - text2pcap-directions-reversed.pcapng
  session dump frames | text2pcap -q -F pcap -l 147 - text2pcap-user0-frames.pcap
  session dump provider | text2pcap -q -F pcap -l 147 - text2pcap-user0-straddling.pcap
  session dump both | text2pcap -q -D -l 147 - text2pcap-user0-directions.pcapng
}

step_follow() {
  for shape in raw hex yaml; do
    tshark -r stunnel.pcap -q -z follow,tcp,$shape,0 > follow-tcp-$shape.txt
    tls_tshark -r tls-stunnel.pcap -q -z follow,tls,$shape,0 > follow-tls-$shape.txt
    tshark -o tls.keylog_file:tls-rsa.keys -d tls.port==20201,data -r tls-rsa.pcap -q -z follow,tls,$shape,0 \
      > follow-tls12-$shape.txt
  done
}

step_formats() {
  editcap -F nsecpcap stunnel.pcap nanoseconds.pcap
  editcap -F pcapng stunnel.pcap "$work/stunnel.pcapng"
  gzip -9nc stunnel.pcap > stunnel.pcap.gz
  gzip -9nc "$work/stunnel.pcapng" > stunnel.pcapng.gz
}

step_merged() {
  mergecap -w merged-two-links.pcapng stunnel.pcap any-sll2.pcap
  # The same connection, recorded on two interfaces at once.
  tcpdump -U --immediate-mode -Z root -i any -w "$work/any.pcap" "tcp port 2195" 2>/dev/null &
  other=$!
  record "$work/lo.pcap" -i lo "tcp port 2195"
  sleep 0.5
  talk 2195 2195
  stop
  kill -INT $other
  wait $other || true
  mergecap -w merged-same-session.pcapng "$work/lo.pcap" "$work/any.pcap"
}

steps="stunnel haproxy haproxy_proxy_v2 nginx nginx_proxy_v1 socat any dumpcap router snap rotated secrets export_pdus
  sslsplit mitmproxy ssldump text2pcap follow formats merged"
for step in ${*:-$steps}; do
  echo "$step"
  step_$step
done
