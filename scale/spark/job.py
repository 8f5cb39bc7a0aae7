"""For `spark-submit`, which wants a file: `job.py build …`, `job.py analyse …`. All of it is in the package (`rukh.spark`)."""

from rukh.spark import main

main()
