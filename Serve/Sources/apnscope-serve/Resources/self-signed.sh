#!/bin/sh
# Makes a CA in the folder $1, and certificates of it for a server and a client, if none of the files exist.
# The server's names include Apple's, for providers whose host cannot be changed except in /etc/hosts.
set -e
umask 077
command -v openssl > /dev/null || { echo "openssl is not installed" >&2; exit 1; }
mkdir -p -- "$1"
cd -- "$1"
made=$(mktemp -d ./made.XXXXXX)
trap 'rm -rf "$made"' EXIT
(
cd "$made"
names=DNS:localhost,IP:127.0.0.1,IP:::1
for host in gateway.push gateway.sandbox.push feedback.push feedback.sandbox.push; do
  names=$names,DNS:$host.apple.com
done
openssl req -x509 -newkey rsa:2048 -nodes -sha256 -days 3650 -keyout ca.key -out ca.pem -subj "/CN=apnscope test CA" \
  -addext keyUsage=critical,keyCertSign,cRLSign
for side in server client; do
  openssl req -newkey rsa:2048 -nodes -sha256 -keyout $side.key -out $side.csr -subj "/CN=apnscope test $side"
  printf 'subjectAltName=%s\nextendedKeyUsage=%sAuth\nauthorityKeyIdentifier=keyid\n' "$names" $side > $side.ext
  openssl x509 -req -sha256 -days 3650 -in $side.csr -CA ca.pem -CAkey ca.key -CAcreateserial \
    -extfile $side.ext -out $side.pem
  rm $side.csr $side.ext
done
)
mv -n "$made"/* .
