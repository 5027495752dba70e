# The image in which PrairieLearn grades: docker build -t NAME grader
# It holds Python, PyTorch and Attest, and no assignment: one image is enough for all questions. Keep it where
# students cannot pull it: the reference that tests compare with is in it.
ARG BASE=python:SLIM
FROM ${BASE}
COPY . /attest
RUN bash /attest/install.sh && rm -rf /attest/wheels /var/lib/apt/lists && chmod 700 /attest /attest/grade.sh
CMD ["/attest/grade.sh"]
