#!/usr/bin/env bash
# Train digits-cnn on the embedded digits and show where everything went.
#
#   tools/demo.sh GRADWRIGHT OUT      the command to run, the run folder (made anew)
set -euo pipefail

gradwright="$1"
out="$2"

rm -rf "$out"
mkdir -p "$(dirname "$out")"
"$gradwright" emit digits-cnn --entry train-step --batch 32 -o "$(dirname "$out")/digits-cnn.mlir"
result="$("$gradwright" train digits-cnn --data digits --epochs 30 --batch 32 --warmup 1 \
    --augment crop:1 --out "$out" --json)"
certified="$(sed -E 's/.*"certified": *([a-z]+).*/\1/' <<<"$result")"
accuracy="$(sed -E 's/.*"test_accuracy": *([0-9.e-]+).*/\1/' <<<"$result")"
echo
echo "program text   $(dirname "$out")/digits-cnn.mlir"
echo "curves         $out/curves.png"
echo "certified      $certified"
echo "test accuracy  $accuracy"
echo "$result"
